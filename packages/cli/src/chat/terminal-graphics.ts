import type { Artifact } from '@capstan/core'
import { toBase64 } from '@capstan/core/internal'
import { readPng, toSixel } from './sixel.js'

/** A terminal protocol for images. */
export type Graphics = 'kitty' | 'iterm2' | 'sixel'

/**
 * Two queries in one: whether the terminal supports the Kitty protocol, and which features it has. Every terminal
 * answers the second query.
 */
export const graphicsQuery = '\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c'

/** Returns the protocol that the environment variables indicate. Undefined if they do not indicate any. */
export function graphicsOf(environment: NodeJS.ProcessEnv): Graphics | undefined {
  const { TERM = '', TERM_PROGRAM = '', LC_TERMINAL, KITTY_WINDOW_ID } = environment
  if (!canQuery(environment)) return undefined
  if (KITTY_WINDOW_ID !== undefined || /^xterm-(kitty|ghostty)$/.test(TERM)) return 'kitty'
  return ['iTerm.app', 'WezTerm'].includes(TERM_PROGRAM) || LC_TERMINAL === 'iTerm2' ? 'iterm2' : undefined
}

/**
 * Whether the terminal can be queried. Some terminals would print the query, and tmux and screen do not pass images on.
 */
export function canQuery({ TERM = 'dumb', TERM_PROGRAM, TMUX }: NodeJS.ProcessEnv): boolean {
  if (TMUX !== undefined || /^(dumb|linux|screen|tmux)/.test(TERM)) return false
  return TERM_PROGRAM !== 'Apple_Terminal'
}

/** Returns the protocol that a reply to `graphicsQuery` announces. Undefined if it announces none. */
export function graphicsIn(reply: string): Graphics | undefined {
  if (reply.startsWith('\x1b_Gi=31;OK')) return 'kitty'
  if (!reply.startsWith('\x1b[?') || !reply.endsWith('c')) return undefined
  const features = reply.slice('\x1b[?'.length, -1)
  return features.split(';').slice(1).includes('4') ? 'sixel' : undefined
}

/**
 * Returns `other` if it is set, otherwise `one`. Sixel never replaces another protocol, because Sixel images have the
 * fewest colours.
 */
export function betterGraphics(one: Graphics | undefined, other: Graphics | undefined): Graphics | undefined {
  return other === undefined || (one !== undefined && other === 'sixel') ? one : other
}

interface Place {
  readonly graphics: Graphics
  readonly columns: number
  readonly rows: number
}

/** The maximum size of an image to show, in bytes. Larger images are shown as links only. */
export const maxPictureBytes = 16_000_000

/** Renders an image for the terminal. Undefined if the protocol does not support the image's format. */
export function renderPicture(
  bytes: Uint8Array,
  { mediaType, width = 320, height = 320 }: Pick<Artifact, 'mediaType' | 'width' | 'height'>,
  { graphics, columns, rows }: Place,
): string | undefined {
  const cells = fitCells({ width, height }, { columns: columns - 1, rows: rows - 3 })
  if (graphics === 'kitty') return isPng(bytes) ? toKitty(bytes, cells) : undefined
  if (graphics === 'iterm2') return shownByIterm.includes(mediaType) ? toIterm(bytes, cells) : undefined
  const picture = isPng(bytes) ? readPng(bytes) : undefined
  return (
    picture &&
    toSixel(picture, { width: cells.columns * cellSize.width, height: cells.rows * cellSize.height })
  )
}

const shownByIterm = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** The usual size of a character cell in pixels. */
const cellSize = { width: 8, height: 16 }

interface Cells {
  readonly columns: number
  readonly rows: number
}

/** Returns the number of cells for an image at its original size, scaled down to fit `most` if needed. */
function fitCells({ width, height }: { width: number; height: number }, most: Cells): Cells {
  const columns = width / cellSize.width
  const rows = height / cellSize.height
  const scale = Math.min(1, Math.max(most.columns, 1) / columns, Math.max(most.rows, 1) / rows)
  return { columns: Math.ceil(columns * scale), rows: Math.ceil(rows * scale) }
}

function isPng(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 8)).equals(pngSignature)
}

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Renders a PNG for the Kitty graphics protocol: base64, in parts of at most 4096 characters. */
function toKitty(bytes: Uint8Array, { columns, rows }: Cells): string {
  const parts = toBase64(bytes).match(/.{1,4096}/g) ?? []
  return parts
    .map((part, at) => {
      const more = at < parts.length - 1 ? 1 : 0
      // q=2 tells the terminal not to reply.
      const control = at === 0 ? `a=T,f=100,q=2,c=${columns},r=${rows},m=${more}` : `m=${more}`
      return `\x1b_G${control};${part}\x1b\\`
    })
    .join('')
}

function toIterm(bytes: Uint8Array, { columns, rows }: Cells): string {
  const size = `size=${bytes.byteLength};width=${columns};height=${rows};preserveAspectRatio=1`
  return `\x1b]1337;File=inline=1;${size}:${toBase64(bytes)}\x07`
}
