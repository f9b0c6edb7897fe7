/** Calls of the shop to the service, by HTTP as from any other program. */
export const makeApi = (address: string, key: string) => {
  const send = async <Answer>(method: string, path: string, body: object): Promise<Answer> => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  return {
    post: <Answer>(path: string, body: object): Promise<Answer> => send('POST', path, body),
    put: <Answer>(path: string, body: object): Promise<Answer> => send('PUT', path, body),
  };
};
export type Api = ReturnType<typeof makeApi>;
