import { CapstanError } from '@capstan/core'

/** How texts are spoken. */
export interface SpeechOptions {
  /** What the service speaks at most at once, in characters. A longer text is spoken in parts. Default 4096. */
  readonly maxCharacters?: number
  /** Names of the voices that may be asked for. Default: the server decides. */
  readonly voices?: readonly string[]
  /** Containers that may be asked for. Default: the server decides. */
  readonly formats?: readonly string[]
}

export type SpeechLimits = SpeechOptions & { readonly maxCharacters: number }

/** The options with their defaults. @throws CapstanError `invalid_request` for a limit that cannot be one */
export function toSpeechLimits(options: SpeechOptions = {}): SpeechLimits {
  const { maxCharacters = 4096 } = options
  if (maxCharacters >= 1) return { ...options, maxCharacters }
  throw new CapstanError(
    'invalid_request',
    `speech.maxCharacters is ${maxCharacters}; give a number from 1 up.`,
  )
}

/** @throws CapstanError `invalid_arguments` for a voice or format that is not among those the options name */
export function checkSpeech(
  { voices, formats }: SpeechOptions,
  voice: string,
  format: string | undefined,
): void {
  checkName('voice', voice, voices)
  if (format !== undefined) checkName('format', format, formats)
}

function checkName(field: string, name: string, names: readonly string[] | undefined): void {
  if (!names || names.includes(name)) return
  const message = `There is no ${field} "${name.slice(0, 60)}". There are: ${names.join(', ')}.`
  throw new CapstanError('invalid_arguments', message, { evidence: { field } })
}
