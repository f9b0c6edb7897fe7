import { pino } from 'pino';

/**
 * Structured logs. Nothing of a request is logged but its route, status, time and id: no body, no header, no path with ids in it.
 * Errors are logged by name, message and stack; their causes may quote data, so they are left out.
 */
export const makeLog = (level: string, destination: { write: (line: string) => void } = process.stdout) =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: (error: Error) => ({ name: error.name, message: error.message, stack: error.stack }),
      },
    },
    destination,
  );
export type Log = ReturnType<typeof makeLog>;
