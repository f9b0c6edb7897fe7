import type { ApiKeyRequest, NewApiKey } from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import { notFound } from '../http/errors.ts';
import type { Route } from '../http/route.ts';
import { idOf } from '../ids.ts';
import type { Access } from './access.ts';
import { type Keys, toApiKey } from './keys.ts';
import { keysOfTenant, revokeKey } from './store.ts';

export const accessRoutes = (
  route: Route,
  { backend, keys, access, clock }: { backend: Backend; keys: Keys; access: Access; clock: () => number },
): void => {
  route('createApiKey', async (call) => {
    const { row, secret, statement } = keys.draft(call.caller, call.body as ApiKeyRequest);
    const created: NewApiKey = { ...toApiKey(row), secret };
    const answer = call.answer(created);
    await backend.write([statement, ...answer.statements]);
    return answer;
  });
  route('listApiKeys', async (call) =>
    call.answer({ api_keys: (await keysOfTenant(backend, call.caller.tenant)).map(toApiKey) }),
  );
  route('deleteApiKey', async (call) => {
    const id = idOf('key', call.params.key_id as string);
    const outcome = id === undefined ? undefined : await backend.write([revokeKey(call.caller.tenant, id, clock())]);
    if (!outcome?.written) throw notFound('API key');
    access.forget();
    return call.answer({});
  });
};
