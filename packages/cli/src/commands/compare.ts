import { outermostStep } from '@capstan/core/internal'
import { compareRuns, type RunComparison, type StepPair } from '@capstan/testing/recording'
import { command } from '../args.js'
import { exitCodes } from '../exit-codes.js'
import { formatCount, sanitizeText, toOneLine } from '../format.js'

/** `capstan compare`: compares two recorded runs. */
export const compare = command({
  name: 'compare',
  usage: 'RECORDING RECORDING',
  summary: 'compares two recorded runs step by step',
  details: 'The exit code is 1 if they differ.',
  positionals: { least: 2, most: 2 },
  flags: { json: { type: 'boolean', description: 'print the comparison as JSON' } },
  async run({ positionals: [a = '', b = ''], flags }) {
    const compared = compareRuns(a, b)
    const { a: _, b: __, ...told } = compared
    const lines = flags.json
      ? [sanitizeText(JSON.stringify(told, null, 2))]
      : formatComparison(compared, [a, b])
    process.stdout.write(`${lines.join('\n')}\n`)
    return compared.isSame ? exitCodes.done : exitCodes.error
  },
})

/** Formats a comparison: totals, one line per step, then the first difference. */
function formatComparison(compared: RunComparison, [a, b]: readonly [string, string]): readonly string[] {
  const { totals, ends } = compared
  const ended = (end: string | undefined) => end ?? 'unfinished'
  const facts = (side: 'a' | 'b') => [
    ended(ends[side]),
    formatCount(compared[side].length, 'step'),
    ...(totals.tokens ? [formatCount(totals.tokens[side], 'token')] : []),
  ]
  return [
    `A ${a}: ${facts('a').join(', ')}`,
    `B ${b}: ${facts('b').join(', ')}`,
    ...compared.pairs.map((pair) => formatPair(pair, compared)),
    ...formatFirst(compared),
  ].map(sanitizeText)
}

function formatPair({ a, b, differences }: StepPair, compared: RunComparison): string {
  const left = a === undefined ? undefined : compared.a[a]
  const right = b === undefined ? undefined : compared.b[b]
  const names = ((left ?? right)?.reply?.calls ?? []).map(({ name }) => name)
  const what = names.join(', ') || 'answer'
  const step = outermostStep((left ?? right)?.at ?? '')
  if (!left) return `  + step ${step}: ${what}, only in B`
  if (!right) return `  - step ${step}: ${what}, only in A`
  if (differences.length === 0) return `  = step ${step}: ${what}`
  return `  ~ step ${step}: ${what}, different ${differences.map(({ part }) => part).join(', ')}`
}

/** Formats the first difference. If no step differs, says whether the runs ended the same way. */
export function formatFirst({ first, pairs, a, b, ends }: RunComparison): readonly string[] {
  if (!first)
    return ends.a === ends.b
      ? ['The runs are the same.']
      : [`The runs end differently: ${ends.a ?? 'unfinished'} and ${ends.b ?? 'unfinished'}.`]
  const pair = pairs[first.pair]
  const at = (pair?.a === undefined ? b[pair?.b ?? 0] : a[pair.a])?.at ?? ''
  const { difference } = first
  if (!difference) return [`The first difference is at ${at}: only one run has this step.`]
  const show = (value: unknown) => toOneLine(JSON.stringify(value) ?? '(nothing)', mostColumns)
  return [
    `The first difference is at ${at}, in ${difference.part}:`,
    `- ${show(difference.a)}`,
    `+ ${show(difference.b)}`,
  ]
}

const mostColumns = 400
