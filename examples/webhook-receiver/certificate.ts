import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

const ADDRESS = '127.0.0.1';

/** A self-signed certificate for this machine, created at the first start and stored in the folder. */
export const readCertificate = async (folder: string): Promise<{ file: string; cert: string; key: string }> => {
  const file = join(folder, 'certificate.pem');
  const keyFile = join(folder, 'key.pem');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const made = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'localhost' },
            { type: 7, ip: ADDRESS },
          ],
        },
      ],
    });
    writeFileSync(keyFile, made.private, { mode: 0o600 });
    writeFileSync(file, made.cert);
  }
  return { file, cert: readFileSync(file, 'utf8'), key: readFileSync(keyFile, 'utf8') };
};
