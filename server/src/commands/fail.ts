import { printError } from '../runtime/terminal.ts';

const exitWith = (message: string, code: number): void => {
  printError(`error: ${message}`);
  process.exitCode = code;
};

/** Reports wrong options or wrong input: the command must be called differently. */
export const failUsage = (message: string): void => exitWith(message, 2);

/** Reports a command that was called correctly and did not succeed. */
export const failRun = (message: string): void => exitWith(message, 1);
