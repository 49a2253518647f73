// Two runs side by side, by step.
import { diffLines, diffWords } from 'diff'
import { useMemo } from 'preact/hooks'
import type { RunSummary } from '../../types.js'
import {
  alignSteps,
  type DifferentPart,
  differentParts,
  firstDifference,
  type StepPair,
} from '../model/compare-steps.js'
import { formatCost, formatCount, formatMoment, formatMs, oneLine, shorten } from '../model/format.js'
import { stateOfRun } from '../model/sentences.js'
import { Thumbnail } from '../parts/media.js'
import { StateWord } from '../parts/state-word.js'
import { route, setQuery, toAddress } from '../shell/route.js'
import { type Step, useSteps } from './use-steps.js'

export function CompareScreen() {
  const { a: idA = '', b: idB = '' } = route.value.query
  const a = useSteps(idA)
  const b = useSteps(idB)
  const pairs = alignSteps(a.steps, b.steps)
  const first = firstDifference(pairs)
  const asked = Number(route.value.query['step'] ?? first ?? 0)
  const selected = pairs[asked] ?? pairs[0]
  if (!idA || !idB) return <p class="empty">Mark two runs in the list of runs to compare them.</p>
  return (
    <>
      <header class="screen-head">
        <h1>Compare</h1>
        {a.run && <Side name="A" run={a.run} />}
        {b.run && <Side name="B" run={b.run} />}
      </header>
      {a.run && b.run && <Totals a={a.run} b={b.run} first={first} pairs={pairs} />}
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
                {pairs.map((pair, at) => (
                  <PairRow
                    key={`${pair.a?.step}-${pair.b?.step}`}
                    pair={pair}
                    isSelected={pair === selected}
                    isFirst={at === first}
                    onSelect={() => setQuery({ step: String(at) })}
                  />
                ))}
              </tbody>
            </table>
          </div>
          {pairs.length === 0 && <p class="empty">Neither run has made a step yet.</p>}
        </section>
        <section class="pane" aria-label="Differences of the step">
          <div class="tab-panel">{selected && <PairDetail pair={selected} />}</div>
        </section>
      </div>
    </>
  )
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
  readonly first: number | undefined
  readonly pairs: readonly StepPair<Step>[]
}

function Totals({ a, b, first, pairs }: TotalsProps) {
  const tokens = [a.usage.totalTokens, b.usage.totalTokens] as const
  const percent = tokens[0] > 0 ? Math.round((100 * (tokens[1] - tokens[0])) / tokens[0]) : 0
  const costs = [formatCost(a.usage.cost), formatCost(b.usage.cost)]
  const pair = first === undefined ? undefined : pairs[first]
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
              step {pair.a?.step ?? pair.b?.step}, {wordsOf(pair)}
            </b>
          </>
        )}
      </span>
    </p>
  )
}

const partWords: Readonly<Record<DifferentPart, string>> = {
  model: 'other model',
  instructions: 'other instructions',
  messages: 'other messages',
  tools: 'other tools',
  settings: 'other settings',
  calls: 'other calls',
  text: 'other words',
  results: 'other results',
}

/** The first difference of a pair. */
function wordsOf(pair: StepPair<Step>): string {
  if (!pair.a) return 'only in B'
  if (!pair.b) return 'not made in B'
  const [first] = differentParts(pair)
  return first ? partWords[first] : 'same'
}

interface PairRowProps {
  readonly pair: StepPair<Step>
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
          {pair.a?.step ?? pair.b?.step}
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

function inShort(step: Step): string {
  if (step.calls.length === 0) return step.text ? `“${shorten(step.text, 70)}”` : 'answer'
  return step.calls.map(({ name, arguments: args }) => `${name} ${oneLine(args, 50)}`).join(', ')
}

/** All parts of two steps: what is the same by name, what is not as a diff. */
function PairDetail({ pair }: { readonly pair: StepPair<Step> }) {
  const { a, b } = pair
  const different = differentParts(pair)
  const title = `Step ${a?.step ?? b?.step}`
  if (!a || !b) {
    const only = a ?? b
    return (
      <>
        <h2>
          {title}, only in {a ? 'A' : 'B'}
        </h2>
        {only?.calls.map((call) => (
          <TextDiff key={call.name} name={call.name} a={a ? text(call) : ''} b={a ? '' : text(call)} />
        ))}
        {only?.text && <pre class="code">{only.text}</pre>}
      </>
    )
  }
  const parts = [...requestParts(a, b), ...answerParts(a, b)]
  const same = parts.filter(({ part }) => !different.includes(part)).map(({ part }) => part)
  return (
    <>
      <h2>{title}</h2>
      {same.length > 0 && <p class="soft">The same: {[...new Set(same)].join(', ')}.</p>}
      {a.request === undefined && <p class="hint">The request of this step was not recorded as bytes.</p>}
      {parts
        .filter(({ part }) => different.includes(part))
        .map((one) => (
          <TextDiff
            key={one.part}
            name={one.part}
            a={one.a}
            b={one.b}
            isWords={one.part === 'text' || one.part === 'instructions'}
          />
        ))}
      {different.length > 0 && <MadeDiff a={a.made} b={b.made} />}
    </>
  )
}

interface PartTexts {
  readonly part: DifferentPart
  readonly a: string
  readonly b: string
}

function requestParts({ request: a }: Step, { request: b }: Step): readonly PartTexts[] {
  if (!a || !b) return []
  const { model: modelA, ...settingsA } = a.settings
  const { model: modelB, ...settingsB } = b.settings
  return [
    { part: 'model', a: text(modelA), b: text(modelB) },
    { part: 'instructions', a: a.instructions, b: b.instructions },
    { part: 'messages', a: text(a.messages), b: text(b.messages) },
    { part: 'tools', a: text(a.tools), b: text(b.tools) },
    { part: 'settings', a: text(settingsA), b: text(settingsB) },
  ]
}

function answerParts(a: Step, b: Step): readonly PartTexts[] {
  const calls = (step: Step) =>
    text(step.calls.map(({ name, arguments: args }) => ({ name, arguments: args })))
  const results = (step: Step) => text(step.calls.map(({ name, result }) => ({ name, result })))
  return [
    { part: 'calls', a: calls(a), b: calls(b) },
    { part: 'text', a: a.text, b: b.text },
    { part: 'results', a: results(a), b: results(b) },
  ]
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** Longer texts are compared by lines only. */
const mostForWords = 20_000
/** Lines around a change that are shown. */
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
    `  … ${lines.length - 2 * around} lines that are the same`,
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
