/** An error in a file, with its line and column where known. */
export class FileError extends Error {
  override name = 'FileError';
}
