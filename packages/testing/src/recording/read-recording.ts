import { CapstanError } from '@capstan/core'
import { isRecord, messageOf, tryJson } from '@capstan/core/internal'
import { fileSystem } from './file-system.js'
import { head, type Line } from './lines.js'
import { whyNoLine } from './why-no-line.js'

/**
 * The lines of a recording; what a crash left of the last one is not among them. @throws CapstanError `not_found`
 * for no such file, `unsupported` for another version, `invalid_request` for what is no recording, or one of nothing
 */
export function readRecording(file: string): readonly Line[] {
  const [first = '', ...rest] = textOf(file).split('\n')
  checkHead(first, file)
  // Behind the last line end there is nothing, a line whose end was taken off, or the beginning of one.
  const whole = tryJson(rest.at(-1) ?? '') === undefined ? rest.slice(0, -1) : rest
  if (whole.length === 0) throw empty(file)
  return whole.map((text, at) => toLine(text, { file, at: at + 2 }))
}

function empty(file: string): CapstanError {
  const message = `"${file}" holds no run: it ends before anything happened. Record it again.`
  return new CapstanError('invalid_request', message, { evidence: { file } })
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

interface Where {
  readonly file: string
  readonly at: number
}

function toLine(text: string, { file, at }: Where): Line {
  const line = tryJson(text)
  const why = line === undefined ? 'it is no JSON' : whyNoLine(line)
  if (why === undefined) return line as Line
  const message = `Line ${at} of "${file}" is no line of a recording (${why}): ${text.slice(0, 80)}`
  throw new CapstanError('invalid_request', message, { evidence: { file, line: at } })
}
