import type { Noun } from '../nouns/part.js'

/** A thing in the library of drawings: its names, its size, and which part of the thing the drawing shows. */
export interface DrawingEntry {
  /** The drawing's name in the library. */
  readonly drawing: string
  /** The indexes of the shapes to use, or to omit. Default: all shapes are used. */
  readonly only?: readonly number[]
  readonly without?: readonly number[]
  /** The singular names. Captions use the first one. */
  readonly words: readonly string[]
  /** The real height in metres. */
  readonly metres: number
  /** The height of the seat, as a share of the total height. Default: the highest level part. */
  readonly seat?: number
  readonly home: Noun['home']
  readonly indoor: boolean | 'either'
  /** What the drawing shows. A body is added to heads and busts. Default: the entire thing. */
  readonly shows: 'whole' | 'animal head' | 'head' | 'bust'
}

type Family = Partial<Pick<DrawingEntry, 'home' | 'indoor' | 'shows'>>

/**
 * Parses a table of drawings. Each line has the form `drawing: name, name @metres`. `drawing+0,2` uses only these
 * shapes, and `drawing-3` omits one.
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
