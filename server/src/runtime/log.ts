import { pino } from 'pino';

/**
 * Structured logs. Of a request only route, status, time and id are logged: no body, no header, no path with ids.
 * Errors are logged with name, message and stack. Their causes are left out, because they may quote data.
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
