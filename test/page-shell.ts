import { spawn } from 'node:child_process';

/** A terminal that stays open: what one command sets, the next one knows. */
export const openShell = (env: Record<string, string>) => {
  const child = spawn('sh', [], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let received = '';
  let complaints = '';
  let look: () => void = () => {};
  let giveUp: () => void = () => {};
  child.once('exit', () => giveUp());
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    received += text;
    look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  let count = 0;
  return {
    /** Runs the lines and answers with what they printed; rejects when the last of them failed. */
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
          else reject(new Error(`ended with ${status}: ${script}\n${printed}\n${complaints}`));
        };
        giveUp = () => reject(new Error(`the shell ended: ${script}\n${complaints}`));
        child.stdin.write(`${script}\nprintf '\\n-- end %d: %d\\n' ${count} $?\n`);
      }),
    close: (): void => void child.kill('SIGKILL'),
  };
};
