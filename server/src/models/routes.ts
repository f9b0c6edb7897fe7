import type { Route } from '../http/route.ts';
import type { Models } from './models.ts';

export const modelRoutes = (route: Route, models: Models): void => {
  route('listModels', models.list);
  route('getModel', models.get);
  route('trainModel', models.train);
  route('listTrainings', models.listTrainings);
  route('getTraining', models.getTraining);
  route('promoteModel', models.promote);
  route('rollBackModel', models.rollBack);
};
