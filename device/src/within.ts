/** Resolves with the value of a promise, or undefined if it fails or takes too long. The page must neither wait nor see an error. */
export const within = <T>(ms: number, promise: Promise<T>): Promise<T | undefined> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = (value?: T) => {
      clearTimeout(timer);
      resolve(value);
    };
    promise.then(end, () => end());
  });
