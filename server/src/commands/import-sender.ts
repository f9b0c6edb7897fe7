import { setTimeout } from 'node:timers/promises';
import type { ErrorBody, ImportResult } from '@portcullis/contract';
import { FileError } from '../offline/file-error.ts';
import type { Chunk } from '../offline/import-chunks.ts';

/** The service does not take more items now. */
export class ImportStopped extends Error {
  override name = 'ImportStopped';
}

export type Sender = (chunk: Chunk) => Promise<ImportResult>;

/** Together a minute and a half: longer than a restart of the service takes. */
const WAITS_MS = [500, 1000, 2000, 4000, 8000, 15_000, 30_000, 30_000];
const TIMEOUT_MS = 60_000;

const isTemporary = (status: number): boolean => status === 429 || status >= 500;

/** The error of the first item that the service refused, at its line. */
const errorOf = ({ lines }: Chunk, { error }: ErrorBody): Error => {
  for (const { field, message } of error.details ?? []) {
    const [, place, rest = ''] = /^items\.(\d+)\.?(.*)$/.exec(field) ?? [];
    const line = place === undefined ? undefined : lines[Number(place)];
    const name = rest.replace(/^(transaction|event)\./, '');
    if (line !== undefined)
      return new FileError(`line ${line}: ${name === '' ? 'the item' : `\`${name}\``} ${message}`);
  }
  return new ImportStopped(`The service refused the import: ${error.message}`);
};

/** Makes a function that sends chunks to the service, and repeats those that it could not take. */
export const makeSender = (url: string, key: string, pause: (ms: number) => Promise<unknown> = setTimeout): Sender => {
  const post = async (chunk: Chunk): Promise<Response | Error> => {
    try {
      return await fetch(new URL('/v1/imports', url), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: chunk.body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      return error as Error;
    }
  };
  return async (chunk) => {
    for (let tries = 0; ; tries++) {
      const reply = await post(chunk);
      if (!(reply instanceof Error) && !isTemporary(reply.status)) {
        const body = (await reply.json()) as ImportResult | ErrorBody;
        if ('error' in body) throw errorOf(chunk, body);
        return body;
      }
      const wait = WAITS_MS[tries];
      if (wait === undefined) {
        const reason = reply instanceof Error ? 'does not answer' : `answers ${reply.status}`;
        throw new ImportStopped(`The service at ${url} ${reason}.`);
      }
      await pause(wait);
    }
  };
};
