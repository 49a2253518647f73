import { nouns } from '../src/nouns/nouns.js'
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
    `The painter knows ${nouns.length} things by ${nouns.flatMap(({ words }) => words).length} names, each also in the plural.`,
    ...things,
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

function toTable(title: string, words: Readonly<Record<string, string>>): string[] {
  const rows = Object.entries(words).map(([meaning, phrases]) => `| ${meaning} | ${phrases} |`)
  return ['', `| ${title} | said as |`, '| --- | --- |', ...rows]
}
