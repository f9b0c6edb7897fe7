/** A record of a CSV file, and the line it begins in. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/** A quotation mark that is never closed, told with the line it stands in. */
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

/** Fields of a record that holds quotation marks: within them, commas and line ends are text, and two stand for one. */
const quotedFields = (record: string): string[] => {
  const fields: string[] = [];
  let field = '';
  let quoted = false;
  for (let i = 0; i < record.length; i++) {
    const char = record[i] as string;
    if (char === '"' && quoted && record[i + 1] === '"') {
      field += '"';
      i++;
    } else if (char === '"') quoted = !quoted;
    else if (char === ',' && !quoted) {
      fields.push(field);
      field = '';
    } else field += char;
  }
  return [...fields, field];
};

export const fieldsOf = (record: string): string[] => (record.includes('"') ? quotedFields(record) : record.split(','));

/** Lines of a text that comes in pieces, without their ends. The last need not have one. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}

/** No request is this long: a mark that was not closed by then never will be, and the rest of a large file does not fit into memory. */
const LONGEST_RECORD = 1_048_576;

/** Records in their order, however large the file. Empty lines are passed over. */
export async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  let line = 0;
  let begun = 0;
  let record = '';
  let open = false;
  for await (const text of linesOf(chunks)) {
    line++;
    record = open ? `${record}\n${text}` : text;
    if (!open) begun = line;
    // Within quotation marks a line end is text. Counted line by line: of all that came since, a mark never closed would take for ever.
    if (countOf(text, '"') % 2 === 1) open = !open;
    if (open && record.length > LONGEST_RECORD) throw new OpenQuote(begun);
    if (open || record === '') continue;
    yield { line: begun, fields: fieldsOf(record) };
  }
  if (open) throw new OpenQuote(begun);
}
