/** What a promise comes to, or nothing when it fails or takes too long: a page must never wait for us, nor hear of our trouble. */
export const within = <T>(ms: number, promise: Promise<T>): Promise<T | undefined> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = (value?: T) => {
      clearTimeout(timer);
      resolve(value);
    };
    promise.then(end, () => end());
  });
