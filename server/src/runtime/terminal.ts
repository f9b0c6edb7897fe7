/** Prints a line for people at a terminal. Programs read the structured log instead. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints a line to standard error. On a terminal it first erases the current line, where a progress bar may stand. */
export const printError = (line: string): void =>
  void process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[K' : ''}${line}\n`);
