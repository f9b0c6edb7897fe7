import { spawn } from 'node:child_process';

/** A shell that stays open, so that variables set by one command are available to the next. */
export const openShell = (env: Record<string, string>) => {
  const child = spawn('sh', [], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let received = '';
  let errorOutput = '';
  let look: () => void = () => {};
  let giveUp: () => void = () => {};
  child.once('exit', () => giveUp());
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    received += text;
    look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput += text;
  });
  let count = 0;
  return {
    /** Runs the lines and returns their output; rejects when the last one failed. */
    run: (script: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const end = `\n-- end ${++count}: `;
        look = () => {
          const at = received.indexOf(end);
          const status = at < 0 ? undefined : /^(\d+)\n/.exec(received.slice(at + end.length))?.[1];
          if (status === undefined) return;
          const printed = received.slice(0, at);
          received = '';
          if (status === '0') resolve(printed);
          else reject(new Error(`exit code ${status}: ${script}\n${printed}\n${errorOutput}`));
        };
        giveUp = () => reject(new Error(`the shell ended: ${script}\n${errorOutput}`));
        child.stdin.write(`${script}\nprintf '\\n-- end %d: %d\\n' ${count} $?\n`);
      }),
    close: (): void => void child.kill('SIGKILL'),
  };
};
