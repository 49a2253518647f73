import { bodyNouns, drawnNouns } from '../src/drawings/drawn-nouns.js'
import { nouns } from '../src/nouns/nouns.js'
import type { Noun } from '../src/nouns/part.js'
import {
  colors,
  counts,
  degrees,
  places,
  relations,
  sides,
  sizes,
  styles,
  times,
  tones,
  weathers,
} from '../src/prompt/words.js'

/** Renders the vocabulary of the painter as tables in Markdown. */
export function toVocabulary(): string {
  const homes = { land: 'Things that stand', water: 'Things that swim', sky: 'Things that fly' } as const
  const things = (Object.keys(homes) as (keyof typeof homes)[]).flatMap((home) => [
    '',
    `${homes[home]}:`,
    '',
    nouns
      .filter((noun) => noun.home === home)
      .map(({ words: [name, ...others] }) => `**${name}**${others.length ? ` (${others.join(', ')})` : ''}`)
      .join(', '),
  ])
  return [
    `The painter knows ${nouns.length} things of its own by ${countNames(nouns)} names, and ${drawn.length} of the library by ${countNames(drawn)}, each also in the plural.`,
    ...things,
    '',
    'From the library, without their other names:',
    '',
    `${drawn.map(({ words: [name] }) => name).join(', ')}.`,
    ...toTable('Place', places),
    ...toTable('Time', times),
    ...toTable('Weather', weathers),
    ...toTable('Style', styles),
    ...toTable('Tone', tones),
    ...toTable('Where', relations),
    ...toTable('Side of the picture', sides),
    '',
    `Colours: ${Object.keys(colors).join(', ')}; before them ${Object.keys(degrees).join(', ')}.`,
    '',
    `Sizes: ${Object.keys(sizes).join(', ')}. Counts up to 12: figures, and ${Object.keys(counts).join(', ')}.`,
  ].join('\n')
}

const drawn = [...drawnNouns, ...bodyNouns]

function countNames(named: readonly Noun[]): number {
  return named.flatMap(({ words }) => words).length
}

function toTable(title: string, words: Readonly<Record<string, string>>): string[] {
  const rows = Object.entries(words).map(([meaning, phrases]) => `| ${meaning} | ${phrases} |`)
  return ['', `| ${title} | said as |`, '| --- | --- |', ...rows]
}
