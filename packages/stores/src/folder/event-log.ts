import { randomBytes, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { eventConflict, missingRun, type StoredEvent } from '../run-store.js'
import { absent, format, parseFields, unreadable } from './durable-files.js'

/** Returns the first line of a new log, which contains the format and a unique name. */
export function newLog(): string {
  return `${JSON.stringify({ format, log: randomUUID() })}\n`
}

/** Maximum length of the first line, in bytes. */
const headBytes = 200

/** A valid line, which contains the events of one append. */
interface LogLine {
  /** The `seq` of the line's first event. */
  readonly first: number
  readonly count: number
  /** A random id for the append that wrote the line. */
  readonly by: string
  /** The line's position in the file, from `start` to `end`, in bytes. */
  readonly start: number
  readonly end: number
}

/** The valid lines of a log, as far as this process has read the file. */
interface LogIndex {
  readonly lines: LogLine[]
  /** The position after the last complete line, in bytes. */
  end: number
}

/**
 * Reads and writes the files with events. Each append is one line. A single write adds the line to the end of the file,
 * and the append resolves once the line is on disk. If several writers, even in different processes, continue from the
 * same event, the first line counts. The other lines stay in the file but are ignored. A line without a line break is
 * incomplete, because its writer was killed.
 */
export class EventLogs {
  /** Indexes by log name, least recently used first. */
  readonly #indexes = new Map<string, LogIndex>()

  /**
   * Returns at most `limit` events after `afterSeq`. Empty if the file does not exist.
   * @throws CapstanError `invalid_state` if the file is damaged
   */
  async read(path: string, afterSeq: number, limit: number): Promise<readonly StoredEvent[]> {
    const file = await open(path, constants.O_RDONLY).catch(absent)
    if (!file) return []
    try {
      const { lines } = await this.#index(path, file)
      const needed = linesBetween(lines, afterSeq + 1, afterSeq + limit)
      const [from, to] = [needed[0], needed.at(-1)]
      if (!from || !to) return []
      const bytes = await bytesFrom(file, from.start, to.end)
      const events = needed.flatMap(({ start, end }) =>
        eventsOf(path, bytes.toString('utf8', start - from.start, end - from.start)),
      )
      return events.filter(({ seq }) => seq > afterSeq).slice(0, limit)
    } finally {
      await file.close()
    }
  }

  /**
   * Appends events.
   * @throws CapstanError `conflict` if the log does not end with the event `afterSeq`, or the run does not exist
   */
  async append(
    path: string,
    { runId, texts, afterSeq }: { runId: string; texts: readonly string[]; afterSeq: number },
  ): Promise<void> {
    const file = await open(path, constants.O_RDWR | constants.O_APPEND).catch(absent)
    if (!file) throw missingRun(runId)
    try {
      const by = randomBytes(6).toString('hex')
      const line = `{"after":${afterSeq},"by":"${by}","events":[${texts.join()}]}\n`
      for (let isDone = false; !isDone; ) {
        const { lines, end } = await this.#index(path, file)
        checkLast(runId, afterSeq, lines)
        if (texts.length === 0) return
        // Mark an incomplete line, so that it neither merges with this line nor becomes complete because of a line
        // break.
        const isCutOff = (await file.stat()).size > end
        // Use a single write, so that lines from different writers do not mix.
        await file.write(Buffer.from(isCutOff ? `${cutOff}\n${line}` : line))
        await file.datasync()
        const now = (await this.#index(path, file)).lines
        isDone = linesBetween(now, afterSeq + 1, afterSeq + 1)[0]?.by === by
        // If no other line was first, this line was incomplete or came after an incomplete one, so write it again.
        if (!isDone) checkLast(runId, afterSeq, now)
      }
    } finally {
      await file.close()
    }
  }

  /** Returns a log's index, after adding the lines that were written since the last call. */
  async #index(path: string, file: FileHandle): Promise<LogIndex> {
    const head = (await bytesFrom(file, 0, headBytes)).toString('latin1')
    const headEnd = head.indexOf('\n') + 1
    const { format: written, log } = parseFields(head.slice(0, headEnd))
    if (written !== format || typeof log !== 'string') throw unreadable(path, written)
    const index = this.#indexes.get(log) ?? { lines: [], end: headEnd }
    this.#indexes.delete(log)
    this.#indexes.set(log, index)
    for (const oldest of this.#indexes.keys())
      if (this.#indexes.size > mostIndexes) this.#indexes.delete(oldest)
      else break
    const start = index.end
    const bytes = await bytesFrom(file, start)
    // Another call may have read these lines meanwhile.
    addLines(path, index, bytes.subarray(index.end - start))
    return index
  }
}

/** Maximum number of logs whose indexes are kept. Other logs are read from the start again. */
const mostIndexes = 200

/** Marks the end of an incomplete line. No complete line ends with this string. */
const cutOff = ' (cut off)'

/**
 * Adds the complete lines in these bytes to the index. The bytes must follow the index's end.
 * @throws CapstanError `invalid_state` for an invalid line
 */
function addLines(path: string, index: LogIndex, bytes: Buffer): void {
  for (let start = 0, end = 0; ; start = end) {
    end = bytes.indexOf('\n', start) + 1
    if (end === 0) return
    const text = bytes.toString('utf8', start, end - 1)
    const last = lastOf(index.lines)
    const { after, by, events } = text.endsWith(cutOff) ? { after: -2 } : parseFields(text)
    const isLine =
      Number.isInteger(after) && (after === -2 || (typeof by === 'string' && Array.isArray(events)))
    // Writers continue only from events that they have read. So an event is missing from the file.
    if (!isLine || Number(after) > last) throw unreadable(path, format)
    const place = { start: index.end, end: index.end + end - start }
    if (after === last && Array.isArray(events) && events.length > 0) {
      if (events.some((event, at) => event?.seq !== last + 1 + at)) throw unreadable(path, format)
      index.lines.push({ first: last + 1, count: events.length, by: String(by), ...place })
    }
    index.end = place.end
  }
}

function lastOf(lines: readonly LogLine[]): number {
  const line = lines.at(-1)
  return line ? line.first + line.count - 1 : -1
}

function checkLast(runId: string, afterSeq: number, lines: readonly LogLine[]): void {
  const last = lastOf(lines)
  if (last !== afterSeq) throw eventConflict(runId, afterSeq, last)
}

/** Returns the lines that contain the events from `first` to `last`. */
function linesBetween(lines: readonly LogLine[], first: number, last: number): readonly LogLine[] {
  let [low, high] = [0, lines.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const line = lines[middle]
    if (line && line.first + line.count <= first) low = middle + 1
    else high = middle
  }
  const found: LogLine[] = []
  for (let line = lines[low]; line && line.first <= last; line = lines[++low]) found.push(line)
  return found
}

function eventsOf(path: string, line: string): readonly StoredEvent[] {
  const { events } = parseFields(line)
  if (Array.isArray(events)) return events
  throw unreadable(path, format)
}

/**
 * Reads the bytes between two positions, by default up to the current end of the file. Safe while another process
 * appends.
 */
async function bytesFrom(file: FileHandle, start: number, end?: number): Promise<Buffer> {
  const { size } = await file.stat()
  const bytes = Buffer.alloc(Math.max(0, Math.min(size, end ?? size) - start))
  let read = 0
  while (read < bytes.length) {
    const { bytesRead } = await file.read(bytes, read, bytes.length - read, start + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return bytes.subarray(0, read)
}
