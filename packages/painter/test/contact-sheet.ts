// Paints the everyday nouns, prompts and edits into sheets of small images: tsx contact-sheet.ts FOLDER [nouns|prompts|edits].
import { writeFileSync } from 'node:fs'
import { colorAt, shade, toCanvas, toPicture } from '../src/canvas.js'
import { toward } from '../src/color.js'
import { editPicture } from '../src/edit-picture.js'
import { paintPrompt } from '../src/paint-prompt.js'
import { blankPicture, type Picture } from '../src/picture.js'
import { readPicture, writePicture } from '../src/picture-files.js'
import { encodePng } from '../src/png.js'
import { resizePicture } from '../src/resize-picture.js'
import { writeText } from '../src/text/write-text.js'
import { everydayEdits, everydayNouns, everydayPrompts } from './everyday.js'

interface Cell {
  readonly picture: Picture
  readonly label: string
}

const [, , folder = '.', only] = process.argv

async function main(): Promise<void> {
  if (!only || only === 'nouns') nounSheets()
  if (!only || only === 'prompts') promptSheets()
  if (!only || only === 'edits') await editSheets()
}

function nounSheets(): void {
  const nouns = Object.values(everydayNouns).flatMap((names) => names.split(', '))
  const cells = nouns.map((noun) => {
    const { picture, unknown } = paintPrompt({ prompt: withArticle(noun), width: 320, height: 320 })
    return { picture: resizePicture(picture, { width: 160, height: 160 }), label: noun + missing(unknown) }
  })
  const perSheet = 36
  for (let at = 0; at * perSheet < cells.length; at++)
    save(`nouns-${at + 1}`, cells.slice(at * perSheet, (at + 1) * perSheet), 6)
}

function promptSheets(): void {
  const cells = everydayPrompts.map((prompt) => {
    const { picture, unknown } = paintPrompt({ prompt, width: 480, height: 480 })
    return { picture: resizePicture(picture, { width: 300, height: 300 }), label: prompt + missing(unknown) }
  })
  save('prompts-1', cells.slice(0, 15), 4)
  save('prompts-2', cells.slice(15), 4)
}

async function editSheets(): Promise<void> {
  const cells: Cell[] = []
  for (const { of, edit } of everydayEdits) {
    const first = paintPrompt({ prompt: of, width: 480, height: 480 }).picture
    const picture = await readPicture(await writePicture(first, { kind: 'png' }), 'image')
    const edited = editPicture({ picture, prompt: edit })
    const small = (shown: Picture): Picture => resizePicture(shown, { width: 240, height: 240 })
    cells.push({ picture: small(first), label: of })
    cells.push({ picture: small(edited.picture), label: edit + missing(edited.unknown) })
  }
  save('edits', cells, 6)
}

function missing(unknown: readonly string[]): string {
  return unknown.length ? ` (${unknown.join(' ')}?)` : ''
}

function withArticle(noun: string): string {
  if (/^(sun|moon)$/.test(noun)) return `the ${noun}`
  if (/[^s]s$|^(bread|cheese|chocolate|coffee|soup|lightning)$/.test(noun)) return noun
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}

function save(name: string, cells: readonly Cell[], columns: number): void {
  const side = cells[0]?.picture.width ?? 1
  const caption = 18
  const rows = Math.ceil(cells.length / columns)
  const sheet = { ...blankPicture(columns * side, rows * (side + caption)) }
  const canvas = toCanvas(sheet)
  for (const [i, { picture, label }] of cells.entries()) {
    const [left, top] = [(i % columns) * side, Math.floor(i / columns) * (side + caption)]
    const from = toCanvas(picture)
    shade(canvas, { left, top, right: left + side, bottom: top + side }, (ink, x, y) =>
      toward(ink, colorAt(from, x - left, y - top), 1),
    )
    const line = {
      left: left + 2,
      top: top + side + 1,
      right: left + side - 2,
      bottom: top + side + caption - 1,
    }
    writeText(canvas, label.slice(0, 60), line, { color: { r: 1, g: 1, b: 1 }, rim: false })
  }
  writeFileSync(`${folder}/${name}.png`, encodePng(toPicture(canvas)))
}

main()
