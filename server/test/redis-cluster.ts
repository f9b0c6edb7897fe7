import { spawn } from 'node:child_process';
import { Redis } from 'ioredis';
import { type OwnRedis, startRedis } from './redis-world.ts';

const run = (args: readonly string[]): Promise<number | null> =>
  new Promise((resolve) => spawn('redis-cli', args, { stdio: 'ignore' }).once('exit', resolve));

/** A cluster of three servers of the test's own, without copies; what one of them keeps is gone while it is stopped. */
export const startCluster = async (): Promise<readonly OwnRedis[]> => {
  const options = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000'];
  const nodes = await Promise.all(
    Array.from({ length: 3 }, () => startRedis([...options, '--cluster-require-full-coverage', 'no'])),
  );
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const code = await run(['--cluster', 'create', ...addresses, '--cluster-replicas', '0', '--cluster-yes']);
  if (code !== 0) throw new Error('the cluster could not be made');
  const clients = nodes.map(({ url }) => new Redis(url));
  const isWhole = async (client: Redis): Promise<boolean> => {
    const info = String(await client.cluster('INFO'));
    return info.includes('cluster_state:ok') && info.includes('cluster_slots_assigned:16384');
  };
  while (!(await Promise.all(clients.map(isWhole))).every(Boolean))
    await new Promise((resolve) => setTimeout(resolve, 50));
  for (const client of clients) client.disconnect();
  return nodes;
};
