import type { Noun } from '../nouns/part.js'

/** A thing in the library of drawings: its names, size, and what its drawing lacks. */
export interface DrawingEntry {
  /** The drawing's name in the library. */
  readonly drawing: string
  /** The indexes of the shapes to use, or to omit. Default: all shapes are used. */
  readonly only?: readonly number[]
  readonly without?: readonly number[]
  /** Its names, singular. Captions use the first. */
  readonly words: readonly string[]
  /** Its real height in metres. */
  readonly metres: number
  /** The height of its seat, as a share of its height. Default: its highest level part. */
  readonly seat?: number
  readonly home: Noun['home']
  readonly indoor: boolean | 'either'
  /** What the drawing shows. Heads and busts get a body. Default: the entire thing. */
  readonly shows: 'whole' | 'animal head' | 'head' | 'bust'
}

type Family = Partial<Pick<DrawingEntry, 'home' | 'indoor' | 'shows'>>

/**
 * Reads a table of drawings: `drawing: name, name @metres` in each line. `drawing+0,2` uses only these shapes,
 * `drawing-3` omits one.
 */
export function family(common: Family, table: string): DrawingEntry[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [, drawing = '', sign, indexes = '', names = '', metres, seat] =
        /^\s*(.*?[a-z])(?:([+-])([\d,]+))?: (.*) @([\d.]+)(?: seat ([\d.]+))?$/.exec(line) ?? []
      if (!metres) throw new Error(`The table of drawings contains an invalid line: "${line}".`)
      const shapes = indexes.split(',').map(Number)
      return {
        drawing,
        ...(sign === '+' && { only: shapes }),
        ...(sign === '-' && { without: shapes }),
        words: names.split(', '),
        metres: Number(metres),
        ...(seat && { seat: Number(seat) }),
        home: common.home ?? 'land',
        indoor: common.indoor ?? false,
        shows: common.shows ?? 'whole',
      }
    })
}
