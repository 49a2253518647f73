import { pickArtifact } from './fill-artifact.js'
import { pickChoice, pickChoices, pickFlag } from './fill-choice.js'
import { pickDate, pickMoment } from './fill-date.js'
import { pickPerson, pickPlace, pickSymbol } from './fill-name.js'
import { pickNumber } from './fill-number.js'
import { pickRest } from './fill-text.js'
import { pickCode, pickCurrency, pickLanguage } from './fill-word.js'
import type { Found } from './quotes.js'
import type { Picked, Scene } from './scene.js'
import { free, pickListed, standsAlone } from './scene.js'
import type { SlotKind } from './slot-kind.js'
import type { Slot } from './slots.js'
import { toRemainder } from './subject.js'

/** Chooses a value for one slot from what is free in the scene; nothing when the clause has none. */
export function fillSlot(slot: Slot, scene: Scene): Picked | undefined {
  if (scene.operands.has(slot.name)) {
    const value = scene.operands.get(slot.name)
    return value === undefined ? undefined : { value, spans: [] }
  }
  return pickers[slot.kind](slot, scene)
}

type Picker = (slot: Slot, scene: Scene) => Picked | undefined

const pickers: Readonly<Record<SlotKind, Picker>> = {
  const: ({ schema }) => ({ value: schema.const, spans: [] }),
  artifact: pickArtifact,
  email: (_, scene) => pickFirst(scene, scene.reading.emails),
  phone: (_, scene) => pickFirst(scene, scene.reading.phones),
  url: (_, scene) => pickFirst(scene, scene.reading.urls),
  size: (_, scene) => pickFirst(scene, scene.reading.sizes),
  expression: () => undefined,
  choice: pickChoice,
  flag: pickFlag,
  code: pickCode,
  moment: pickMoment,
  date: pickDate,
  time: (_, scene) => pickFirst(scene, scene.reading.times),
  number: pickNumber,
  currency: pickCurrency,
  language: pickLanguage,
  symbol: pickSymbol,
  list: pickList,
  person: pickPerson,
  place: pickPlace,
  path: pickPath,
  object: () => undefined,
  text: pickRest,
}

function pickFirst(scene: Scene, found: readonly Found<string>[]): Picked | undefined {
  const all = free(scene, found)
  return all[0] && pickListed(all[0], all, scene.reading.text)
}

// "notes.txt", a quotation, or the word beside "folder".
function pickPath({ words, required }: Slot, scene: Scene): Picked | undefined {
  const { masked, files, quotes } = scene.reading
  const folders = /folder|directory/.test(words) ? findFolders(masked) : []
  return (
    pickFirst(scene, folders) ?? pickFirst(scene, files) ?? (required ? pickFirst(scene, quotes) : undefined)
  )
}

function findFolders(masked: string): Found<string>[] {
  return [
    ...masked.matchAll(
      /\b(?:folder|directory)\s+([\w./-]*\w)|\b(?:the|my)\s+([\w-]+)\s+(?:folder|directory)/gi,
    ),
  ].map((match) => ({
    value: match[1] ?? match[2] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }))
}

function pickList(slot: Slot, scene: Scene): Picked | undefined {
  const [item] = slot.inner
  if (!item || item.kind === 'object' || item.kind === 'list') return undefined
  if (item.kind === 'choice') return pickChoices(item, scene)
  if (item.kind === 'number') {
    const numbers = free(scene, scene.reading.numbers).filter((number) => standsAlone(number, scene.reading))
    return numbers.length > 0 ? { value: numbers.map(({ value }) => value), spans: numbers } : undefined
  }
  if (item.kind === 'text') return pickTexts(slot, scene)
  const picked = pickers[item.kind](slot.required ? item : { ...item, required: false }, scene)
  return picked && { value: picked.alternatives ?? [picked.value], spans: picked.spans }
}

function pickTexts(slot: Slot, scene: Scene): Picked | undefined {
  const quotes = free(scene, scene.reading.quotes)
  if (quotes.length > 0) return { value: quotes.map(({ value }) => value), spans: quotes }
  const listed = toRemainder(scene).replace(/^[^,]*?\b(?:with|including|containing)\s+/i, '')
  const parts = slot.required ? listed.split(/\s*,\s*(?:and\s+)?|\s+and\s+/) : []
  const texts = parts.filter((part) => part !== '')
  return texts.length > 0 ? { value: texts, spans: [] } : undefined
}
