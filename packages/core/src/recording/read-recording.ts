import { CapstanError, messageOf } from '../words/error.js'
import { isRecord } from '../words/record.js'
import { fileSystem } from './file-system.js'
import { head, type Line } from './lines.js'

/**
 * The lines of a recording; what a crash left of the last one is not among them. @throws CapstanError `not_found`
 * for no such file, `unsupported` for another version, `invalid_request` for what is no recording
 */
export function readRecording(file: string): readonly Line[] {
  const [first = '', ...rest] = textOf(file).split('\n')
  checkHead(first, file)
  // Behind the last line end there is nothing, or the beginning of a line.
  return rest.slice(0, -1).map((text, at) => toLine(text, `line ${at + 2} of "${file}"`))
}

function textOf(file: string): string {
  try {
    return fileSystem().readFileSync(file, 'utf8')
  } catch (error) {
    const message = `There is no recording to read in "${file}": ${messageOf(error)}.`
    throw new CapstanError('not_found', message, { evidence: { file }, cause: error })
  }
}

function checkHead(text: string, file: string): void {
  const found = tryJson(text)
  if (!isRecord(found) || found.capstan !== head.capstan) {
    const message = `"${file}" is no recording: it does not begin with ${JSON.stringify(head)}.`
    throw new CapstanError('invalid_request', message, { evidence: { file } })
  }
  if (found.version === head.version) return
  const message = `"${file}" is a recording of version ${JSON.stringify(found.version)}, and this Capstan reads version ${head.version}. Record it again, or read it with the Capstan that wrote it.`
  throw new CapstanError('unsupported', message, { evidence: { file, version: found.version } })
}

const kinds = ['begin', 'request', 'reply', 'failure', 'outcome', 'given', 'now', 'event', 'end']

function toLine(text: string, where: string): Line {
  const line = tryJson(text)
  const isLine =
    isRecord(line) &&
    typeof line.run === 'number' &&
    typeof line.at === 'string' &&
    kinds.some((kind) => line[kind] !== undefined)
  if (isLine) return line as unknown as Line
  const message = `What stands in ${where} is no line of a recording: ${text.slice(0, 80)}`
  throw new CapstanError('invalid_request', message, { evidence: { where } })
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
