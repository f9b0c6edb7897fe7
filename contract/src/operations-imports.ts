import { ImportRequest, ImportResult, MAX_IMPORT_ITEMS } from './import.ts';
import { type Operation, operation } from './operation.ts';

export const importOperations = {
  createImport: operation({
    method: 'POST',
    path: '/v1/imports',
    tag: 'Imports',
    summary: 'Import past transactions, events and labels',
    description:
      `Counts up to ${MAX_IMPORT_ITEMS} items in the histories at the time they happened, and stores them as imported. They open no case and send no webhook. ` +
      'Send items in the order of time, one request after the other. A request can be repeated at any time: an `id` is imported once. ' +
      'After an error, send the same request again.',
    permission: 'tune',
    body: ImportRequest,
    bodyKib: 512,
    status: 200,
    response: ImportResult,
    errors: ['limit_reached'],
  }),
} satisfies Record<string, Operation>;
