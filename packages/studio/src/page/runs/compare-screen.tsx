// Shows two runs side by side, step by step.
import { readStepKey } from '@capstan/core/internal'
import type { ComparedStep, PartDifference, StepPair, StepPart } from '@capstan/testing/compare'
import { diffLines, diffWords } from 'diff'
import { useMemo } from 'preact/hooks'
import type { Comparison, RunSummary } from '../../types.js'
import { formatCost, formatCount, formatMoment, formatMs, oneLine, shorten } from '../model/format.js'
import { stateOfRun } from '../model/sentences.js'
import { Thumbnail } from '../parts/media.js'
import { StateWord } from '../parts/state-word.js'
import { route, setQuery, toAddress } from '../shell/route.js'
import { useComparison } from './use-comparison.js'

export function CompareScreen() {
  const { a: idA = '', b: idB = '' } = route.value.query
  const { a, b, comparison, error } = useComparison(idA, idB)
  const pairs = comparison?.pairs ?? []
  const first = comparison?.first?.pair
  const asked = Number(route.value.query['step'] ?? first ?? 0)
  const selected = pairs[asked] ?? pairs[0]
  if (!idA || !idB) return <p class="empty">Mark two runs in the list of runs to compare them.</p>
  return (
    <>
      <header class="screen-head">
        <h1>Compare</h1>
        {a && <Side name="A" run={a} />}
        {b && <Side name="B" run={b} />}
      </header>
      {a && b && comparison && <Totals a={a} b={b} comparison={comparison} />}
      {error && <p class="bad">{error}</p>}
      <div class="panes compare-panes">
        <section class="pane" aria-label="Steps">
          <div class="table-scroll">
            <table class="compare-table">
              <thead>
                <tr>
                  <th scope="col">step</th>
                  <th scope="col">A</th>
                  <th scope="col">B</th>
                </tr>
              </thead>
              <tbody>
                {comparison &&
                  pairs.map((pair, at) => (
                    <PairRow
                      key={`${pair.a}-${pair.b}`}
                      pair={toSteps(comparison, pair)}
                      isSelected={pair === selected}
                      isFirst={at === first}
                      onSelect={() => setQuery({ step: String(at) })}
                    />
                  ))}
              </tbody>
            </table>
          </div>
          {comparison && pairs.length === 0 && <p class="empty">Neither run has made a step yet.</p>}
        </section>
        <section class="pane" aria-label="Differences of the step">
          <div class="tab-panel" role="group" aria-label="Parts" tabIndex={0}>
            {comparison && selected && <PairDetail pair={toSteps(comparison, selected)} />}
          </div>
        </section>
      </div>
    </>
  )
}

/** Two corresponding steps and their differences. A step is undefined if only the other run has it. */
interface Pair {
  readonly a: ComparedStep | undefined
  readonly b: ComparedStep | undefined
  readonly differences: readonly PartDifference[]
}

function toSteps({ a, b }: Comparison, pair: StepPair): Pair {
  return {
    a: pair.a === undefined ? undefined : a[pair.a],
    b: pair.b === undefined ? undefined : b[pair.b],
    differences: pair.differences,
  }
}

/** Returns a pair's step number, or `last` for the final answer that a run requests at a limit. */
function numberOf({ a, b }: Pair): string {
  const key = readStepKey((a ?? b)?.at ?? '')
  return key?.kind === 'final' ? 'last' : String(key?.step ?? '')
}

function Side({ name, run }: { readonly name: string; readonly run: RunSummary }) {
  return (
    <span class="compare-side">
      <b>{name}</b> <a href={toAddress(['runs', run.id])}>{shorten(run.title || run.id, 40)}</a>{' '}
      <span class="soft">
        {formatMoment(run.startedAt)}, v{run.source.version}
        {run.fork && `, fork: ${run.fork.change}`}
      </span>{' '}
      <StateWord {...stateOfRun(run)} />
    </span>
  )
}

interface TotalsProps {
  readonly a: RunSummary
  readonly b: RunSummary
  readonly comparison: Comparison
}

function Totals({ a, b, comparison }: TotalsProps) {
  const tokens = [a.usage.totalTokens, b.usage.totalTokens] as const
  const percent = tokens[0] > 0 ? Math.round((100 * (tokens[1] - tokens[0])) / tokens[0]) : 0
  const costs = [formatCost(a.usage.cost), formatCost(b.usage.cost)]
  const found = comparison.first && comparison.pairs[comparison.first.pair]
  const pair = found && toSteps(comparison, found)
  const isOver = a.status !== 'running' && b.status !== 'running'
  return (
    <p class="facts compare-totals">
      <span>
        tokens <b>{formatCount(tokens[0])}</b> → <b>{formatCount(tokens[1])}</b> ({percent > 0 ? '+' : ''}
        {percent} %)
      </span>
      {costs[0] !== '' && (
        <span>
          cost <b>{costs[0]}</b> → <b>{costs[1]}</b>
        </span>
      )}
      <span>
        time <b>{formatMs(a.workedMs)}</b> → <b>{formatMs(b.workedMs)}</b>
      </span>
      <span role="status">
        {pair === undefined ? (
          isOver ? (
            'no difference'
          ) : (
            'the same so far'
          )
        ) : (
          <>
            first difference:{' '}
            <b>
              step {numberOf(pair)}, {wordsOf(pair)}
            </b>
          </>
        )}
      </span>
    </p>
  )
}

const partWords: Readonly<Record<StepPart, string>> = {
  model: 'different model',
  instructions: 'different instructions',
  messages: 'different messages',
  tools: 'different tools',
  settings: 'different settings',
  calls: 'different calls',
  text: 'different text',
  failure: 'different failure',
  results: 'different results',
  artifacts: 'different artifacts',
}

/** Describes a pair's first difference. Returns `same` if there is none. */
function wordsOf(pair: Pair): string {
  if (!pair.a) return 'only in B'
  if (!pair.b) return 'only in A'
  const [first] = pair.differences
  return first ? partWords[first.part] : 'same'
}

interface PairRowProps {
  readonly pair: Pair
  readonly isSelected: boolean
  readonly isFirst: boolean
  readonly onSelect: () => void
}

function PairRow({ pair, isSelected, isFirst, onSelect }: PairRowProps) {
  const words = wordsOf(pair)
  const sign = words === 'same' ? '=' : pair.a && pair.b ? '~' : pair.a ? '−' : '+'
  return (
    <tr class={words === 'same' ? 'is-same' : 'is-different'} aria-current={isSelected || undefined}>
      <th scope="row">
        <button type="button" class="plain" aria-pressed={isSelected} onClick={onSelect}>
          {numberOf(pair)}
          {isFirst && <span title="the first difference"> ◂</span>}
        </button>
      </th>
      <td>{pair.a ? inShort(pair.a) : <span class="soft">–</span>}</td>
      <td>
        <span class={words === 'same' ? 'good' : 'warn'}>
          {sign} {words}
        </span>{' '}
        {pair.b && words !== 'same' && <span class="soft">{inShort(pair.b)}</span>}
      </td>
    </tr>
  )
}

function inShort({ reply }: ComparedStep): string {
  const { text = '', calls = [], failure } = reply ?? {}
  if (failure) return `${failure.code}: ${shorten(failure.message, 70)}`
  if (calls.length === 0) return text ? `“${shorten(text, 70)}”` : 'answer'
  return calls.map(({ name, arguments: args }) => `${name} ${oneLine(args, 50)}`).join(', ')
}

/** Shows the parts of two steps. Equal parts are only named, and different parts are shown in detail. */
function PairDetail({ pair }: { readonly pair: Pair }) {
  const { a, b, differences } = pair
  const title = `Step ${numberOf(pair)}`
  if (!a || !b) {
    const { calls = [], text = '' } = (a ?? b)?.reply ?? {}
    return (
      <>
        <h2>
          {title}, only in {a ? 'A' : 'B'}
        </h2>
        {calls.map((call, at) => (
          <TextDiff key={at} name={call.name} a={a ? toText(call) : ''} b={a ? '' : toText(call)} />
        ))}
        {text && <pre class="code">{text}</pre>}
      </>
    )
  }
  const different = new Set(differences.map(({ part }) => part))
  const same = shownParts.filter((part) => !different.has(part))
  return (
    <>
      <h2>{title}</h2>
      {same.length > 0 && <p class="soft">The same: {same.join(', ')}.</p>}
      {differences
        .filter(({ part }) => part !== 'artifacts')
        .map((one) => (
          <TextDiff
            key={one.part}
            name={one.part}
            a={toText(one.a)}
            b={toText(one.b)}
            isWords={one.part === 'text' || one.part === 'instructions'}
          />
        ))}
      {different.size > 0 && <MadeDiff a={a.artifacts} b={b.artifacts} />}
    </>
  )
}

const shownParts: readonly StepPart[] = [
  'model',
  'instructions',
  'messages',
  'tools',
  'settings',
  'calls',
  'text',
  'results',
]

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** The maximum number of characters to compare word by word. Longer text is compared line by line. */
const mostForWords = 20_000
/** How many unchanged lines to show before and after a change. */
const around = 3

function TextDiff({
  name,
  a,
  b,
  isWords = false,
}: {
  readonly name: string
  readonly a: string
  readonly b: string
  readonly isWords?: boolean
}) {
  const changes = useMemo(
    () => (isWords && a.length + b.length < mostForWords ? diffWords(a, b) : diffLines(a, b)),
    [a, b, isWords],
  )
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      <pre class="code diff">
        {changes.map((change, at) =>
          change.removed ? (
            <del key={at}>{isWords ? change.value : signed('-', change.value)}</del>
          ) : change.added ? (
            <ins key={at}>{isWords ? change.value : signed('+', change.value)}</ins>
          ) : (
            <span key={at}>{isWords ? change.value : signed(' ', folded(change.value))}</span>
          ),
        )}
      </pre>
    </section>
  )
}

function signed(sign: string, lines: string): string {
  return lines.replace(/^(?=.)/gm, `${sign} `)
}

function folded(value: string): string {
  const lines = value.split('\n')
  if (lines.length <= 2 * around + 2) return value
  return [
    ...lines.slice(0, around),
    `  … ${lines.length - 2 * around} unchanged lines`,
    ...lines.slice(-around),
  ].join('\n')
}

function MadeDiff({ a, b }: { readonly a: readonly string[]; readonly b: readonly string[] }) {
  if (a.length === 0 && b.length === 0) return null
  return (
    <section aria-label="Artifacts">
      <h3>Artifacts</h3>
      <div class="compare-made">
        <div>
          {a.map((id) => (
            <Thumbnail key={id} id={id} />
          ))}
        </div>
        <div>
          {b.map((id) => (
            <Thumbnail key={id} id={id} />
          ))}
        </div>
      </div>
    </section>
  )
}
