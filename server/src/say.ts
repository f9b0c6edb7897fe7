/** For people at a terminal; programs read the logs. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** On a terminal it takes the place of a progress bar that may stand there, instead of going on behind it. */
export const complain = (line: string): void =>
  void process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[K' : ''}${line}\n`);
