import { FileError } from './file-error.ts';

/** No request is this long. A line without an end, or an open quotation mark, must not read a large file into memory. */
const LONGEST_RECORD = 1_048_576;

/** A record of a CSV file, and the line where it begins. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/** A quotation mark that is never closed, with the line where its record begins. */
export class OpenQuote extends Error {
  readonly line: number;
  constructor(line: number) {
    super('a quotation mark is never closed');
    this.line = line;
  }
}

const countOf = (text: string, char: string): number => {
  let count = 0;
  for (let at = text.indexOf(char); at >= 0; at = text.indexOf(char, at + 1)) count++;
  return count;
};

/** Splits a record with quotation marks. Inside them commas and line ends are text, and two marks stand for one. */
const quotedFields = (record: string): string[] => {
  const fields: string[] = [];
  let field = '';
  let isQuoted = false;
  for (let i = 0; i < record.length; i++) {
    const char = record[i] as string;
    if (char === '"' && isQuoted && record[i + 1] === '"') {
      field += '"';
      i++;
    } else if (char === '"') isQuoted = !isQuoted;
    else if (char === ',' && !isQuoted) {
      fields.push(field);
      field = '';
    } else field += char;
  }
  return [...fields, field];
};

export const fieldsOf = (record: string): string[] => (record.includes('"') ? quotedFields(record) : record.split(','));

/** Splits chunks of text into lines without their line ends: the lines of each chunk. The last line needs no line end. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = '';
  let line = 1;
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    for (let i = 0; i < lines.length; i++)
      if ((lines[i] as string).endsWith('\r')) lines[i] = (lines[i] as string).slice(0, -1);
    yield lines;
    line += lines.length;
    if (rest.length > LONGEST_RECORD)
      throw new FileError(`line ${line}: longer than ${LONGEST_RECORD.toLocaleString('en')} characters; no item is`);
  }
  if (rest !== '') yield [rest];
}

/**
 * Reads the records of a CSV file of any size, those of each chunk together, and skips empty lines. Written here because
 * csv-parse takes six times as long, and reports an open quotation mark at the end of the file in place of the line where
 * it begins.
 */
export async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<readonly CsvRecord[]> {
  let line = 0;
  let firstLine = 0;
  let record = '';
  let isOpen = false;
  for await (const lines of linesOf(chunks)) {
    const records: CsvRecord[] = [];
    for (const text of lines) {
      line++;
      record = isOpen ? `${record}\n${text}` : text;
      if (!isOpen) firstLine = line;
      // Only the new line is counted: counting the whole record each time would be quadratic.
      if (countOf(text, '"') % 2 === 1) isOpen = !isOpen;
      if (isOpen && record.length > LONGEST_RECORD) break;
      if (!isOpen && record !== '') records.push({ line: firstLine, fields: fieldsOf(record) });
    }
    yield records;
    if (isOpen && record.length > LONGEST_RECORD) throw new OpenQuote(firstLine);
  }
  if (isOpen) throw new OpenQuote(firstLine);
}
