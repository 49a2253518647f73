/** An option of a command. */
export interface Flag {
  readonly type: 'string' | 'boolean'
  /** What stands for its value in the help. */
  readonly value?: string
  readonly multiple?: boolean
  readonly short?: string
  /** What it does, for the help. */
  readonly says: string
}

export type Flags = Readonly<Record<string, Flag>>

/** The value that each option of a command has on a command line. */
export type Given<Options extends Flags> = {
  readonly [Name in keyof Options]?: ValueOf<Options[Name]> | undefined
}

type ValueOf<One extends Flag> = One['type'] extends 'boolean'
  ? boolean
  : One extends { readonly multiple: true }
    ? readonly string[]
    : string

/** What every command takes. */
export const commonFlags = {
  debug: { type: 'boolean', says: 'errors say where they come from' },
  'no-color': { type: 'boolean', says: 'no colours; as NO_COLOR in the environment' },
  help: { type: 'boolean', short: 'h', says: 'show this' },
} as const satisfies Flags

/** A command line, read. */
export interface Line<Options extends Flags = Flags> {
  /** What stands on it besides options. */
  readonly words: readonly string[]
  readonly flags: Given<Options & typeof commonFlags>
}

/** One of the commands. */
export interface Command<Options extends Flags = Flags> {
  readonly name: string
  /** How it is written, after its name. */
  readonly form: string
  /** One line of what it does. */
  readonly says: string
  /** More of it, for its own help. */
  readonly more?: string
  /** How many words it takes besides options. */
  readonly words: { readonly least: number; readonly most: number }
  readonly flags: Options
  /** Does it, and says what the process ends with. */
  run(line: Line<Options>): Promise<number>
}

/** A command with the types of its options. */
export function command<const Options extends Flags>(made: Command<Options>): Command {
  // It is only ever given lines that were read by its own options.
  return made as unknown as Command
}
