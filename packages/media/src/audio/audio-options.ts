import { CapstanError } from '@capstan/core'

/** How long recordings are transcribed and translated. */
export interface AudioOptions {
  /** What the service takes at most in one file, in bytes. Above it a recording is sent in pieces. Default 25 MB (25,000,000). */
  readonly maxBytes?: number
  /** What the service takes at most in one file, in seconds. Default: no limit. */
  readonly maxSeconds?: number
  /** How long the pieces of a recording are at most that is above a limit, in seconds. Default 120. */
  readonly pieceSeconds?: number
  /** How many pieces are sent at one time. Default 2. */
  readonly inFlight?: number
}

export type AudioLimits = Required<AudioOptions>

/** The options with their defaults. @throws CapstanError `invalid_request` for a limit that cannot be one */
export function toAudioLimits(options: AudioOptions = {}): AudioLimits {
  const {
    maxBytes = 25_000_000,
    maxSeconds = Number.POSITIVE_INFINITY,
    pieceSeconds = 120,
    inFlight = 2,
  } = options
  const least = {
    maxBytes: [maxBytes, 10_000],
    maxSeconds: [maxSeconds, 1],
    pieceSeconds: [pieceSeconds, 1],
    inFlight: [inFlight, 1],
  } as const
  for (const [name, [value, from]] of Object.entries(least))
    if (!(value >= from))
      throw new CapstanError('invalid_request', `audio.${name} is ${value}; give a number from ${from} up.`)
  return { maxBytes, maxSeconds, pieceSeconds, inFlight }
}
