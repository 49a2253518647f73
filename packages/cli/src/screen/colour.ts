import { styleText } from 'node:util'

/** How a part of a line is meant. */
export type Tone = 'good' | 'bad' | 'faint' | 'strong'

/** Shows a text in a tone. */
export type Paint = (tone: Tone, text: string) => string

/** Colours for a terminal that has them and whose user wants them, as NO_COLOR and FORCE_COLOR say. */
export function toPaint(stream: Partial<NodeJS.WriteStream>, off = false): Paint {
  if (off || !stream.isTTY || !stream.hasColors?.()) return plain
  return (tone, text) => (text === '' ? '' : styleText(codes[tone], text, { validateStream: false }))
}

/** No colours at all. */
export const plain: Paint = (_tone, text) => text

const codes = { good: 'green', bad: 'red', faint: 'dim', strong: 'bold' } as const
