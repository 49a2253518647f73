// The fork editor: the user makes one change before a step, and a new run continues from there.
import type { Message } from '@capstan/core'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ForkRequest, RunSummary, StartRun } from '../../types.js'
import { api } from '../api/client.js'
import { attempt, follow, loadRun, viewOf } from '../api/state.js'
import { plural } from '../model/format.js'
import type { StepNode } from '../model/run-nodes.js'
import { Choices } from '../parts/choices.js'
import { go, route, setQuery, toAddress } from '../shell/route.js'
import { type Edit, editsOf, type ForkKind, isChanged, kinds, MessageEditor } from './fork-edits.js'

export function ForkScreen() {
  const id = route.value.path[1] ?? ''
  const [run, setRun] = useState<RunSummary>()
  const view = viewOf(id)
  void view.revision.value
  useEffect(() => {
    void loadRun(id).then(setRun)
    void follow(id)
  }, [id])
  const steps = view.tree.root.children.filter(
    (node): node is StepNode => node.kind === 'step' && node.checkpoint !== undefined,
  )
  const asked = route.value.query['at']
  const checkpoint = asked === undefined ? steps.at(-1)?.checkpoint : Number(asked)
  if (!run || (view.state.value !== 'ready' && steps.length === 0)) return <p class="empty">Loading …</p>
  if (checkpoint === undefined)
    return <p class="empty">This run has no stored state before a step, so it cannot be forked.</p>
  return (
    <>
      <header class="screen-head">
        <h1>
          Fork <a href={toAddress(['runs', id])}>{run.title || id}</a>
        </h1>
        <p class="line">
          <label for="fork-step">before</label>
          <select
            id="fork-step"
            value={String(checkpoint)}
            onChange={(event) => setQuery({ at: event.currentTarget.value })}
          >
            {steps.map((step) => (
              <option key={step.id} value={String(step.checkpoint)}>
                step {step.step}
              </option>
            ))}
          </select>
        </p>
      </header>
      <div class="screen-body">
        <ForkForm
          key={checkpoint}
          run={run}
          checkpoint={checkpoint}
          before={steps.filter((step) => (step.checkpoint ?? 0) < checkpoint).length}
        />
      </div>
    </>
  )
}

interface ForkFormProps {
  readonly run: RunSummary
  readonly checkpoint: number
  /** How many steps come before the fork. These steps are not repeated. */
  readonly before: number
}

function ForkForm({ run, checkpoint, before }: ForkFormProps) {
  const [messages, setMessages] = useState<readonly Message[]>()
  const [kind, setKind] = useState<ForkKind>('nothing')
  const [edit, setEdit] = useState<Edit>()
  const [options, setOptions] = useState<Options>({})
  const [effects, setEffects] = useState<'ask' | 'run'>('ask')
  useEffect(() => {
    void attempt(() => api.state(run.id, checkpoint)).then((state) => setMessages(state?.messages ?? []))
  }, [run.id, checkpoint])
  const possible = useMemo(() => editsOf(messages ?? []), [messages])
  const choose = (next: ForkKind) => {
    setKind(next)
    setEdit(possible.findLast((one) => one.kind === next))
  }
  const fork: ForkRequest = {
    run: run.id,
    checkpoint,
    ...(edit && isChanged(edit) && { messages: [edit.change(edit.text)] }),
  }
  const start = async () => {
    const body: StartRun = { agent: run.agent, fork, effects, ...requestOptions(kind, options) }
    const started = await attempt(() => api.startRun(body))
    if (started) go(toAddress(['runs', 'compare'], { a: run.id, b: started.id }))
  }
  const canStart =
    messages !== undefined &&
    (!edit || edit.problem(edit.text) === undefined) &&
    (kind !== 'settings' || isObject(options.settings))
  return (
    <form
      class="fork"
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      <KindChoice kind={kind} possible={possible} onKind={choose} />
      {edit && (
        <MessageEditor
          edits={possible.filter((one) => one.kind === kind)}
          edit={edit}
          onEdit={setEdit}
          last={(messages?.length ?? 0) - 1}
        />
      )}
      {kind === 'instructions' && (
        <InstructionsField agent={run.agent} options={options} onOptions={setOptions} />
      )}
      {kind === 'settings' && <SettingsFields options={options} onOptions={setOptions} />}
      <EffectsChoice effects={effects} onEffects={setEffects} />
      <ForkButtons run={run} before={before} canStart={canStart} />
    </form>
  )
}

interface ForkButtonsProps {
  readonly run: RunSummary
  readonly before: number
  readonly canStart: boolean
}

function ForkButtons({ run, before, canStart }: ForkButtonsProps) {
  return (
    <p class="line">
      <button type="submit" class="main" disabled={!canStart}>
        Fork
      </button>
      <a class="button" href={toAddress(['runs', run.id])}>
        Cancel
      </a>
      <span class="hint">
        {before === 0
          ? 'The run starts over.'
          : `${plural(before, 'step')} before it ${before === 1 ? 'is' : 'are'} not paid for again.`}{' '}
        The current version of the file is used.
      </span>
    </p>
  )
}

interface KindChoiceProps {
  readonly kind: ForkKind
  readonly possible: readonly Edit[]
  readonly onKind: (kind: ForkKind) => void
}

function KindChoice({ kind, possible, onKind }: KindChoiceProps) {
  const canChoose = (one: ForkKind) => !isMessageKind(one) || possible.some((edit) => edit.kind === one)
  return (
    <fieldset class="choices">
      <legend>What to change</legend>
      <Choices
        name="fork-kind"
        choices={kinds}
        value={kind}
        isDisabled={(one) => !canChoose(one)}
        onChoose={onKind}
      />
    </fieldset>
  )
}

const effectChoices = [
  ['ask', 'ask me'],
  ['run', 'run them'],
] as const

interface EffectsChoiceProps {
  readonly effects: 'ask' | 'run'
  readonly onEffects: (effects: 'ask' | 'run') => void
}

function EffectsChoice({ effects, onEffects }: EffectsChoiceProps) {
  return (
    <fieldset class="choices">
      <legend>Calls that can change data</legend>
      <Choices name="fork-effects" choices={effectChoices} value={effects} onChoose={onEffects} />
    </fieldset>
  )
}

function isMessageKind(kind: ForkKind): boolean {
  return kind === 'result' || kind === 'arguments' || kind === 'answer' || kind === 'prompt'
}

interface Options {
  readonly instructions?: string
  readonly model?: string
  readonly settings?: string
}

function requestOptions(kind: ForkKind, { instructions, model, settings = '' }: Options): Partial<StartRun> {
  if (kind === 'instructions' && instructions !== undefined) return { instructions }
  if (kind !== 'settings') return {}
  return { ...(model && { model }), ...(settings.trim() && { settings: JSON.parse(settings) }) }
}

function isObject(json = ''): boolean {
  if (json.trim() === '') return true
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

interface OptionsProps {
  readonly options: Options
  readonly onOptions: (options: Options) => void
}

function InstructionsField({ agent, options, onOptions }: OptionsProps & { readonly agent: string }) {
  useEffect(() => {
    if (options.instructions !== undefined) return
    void attempt(() => api.agent(agent)).then((answer) => {
      const { instructions } = answer?.agent ?? {}
      onOptions({ instructions: instructions && 'text' in instructions ? instructions.text : '' })
    })
  }, [agent])
  return (
    <p class="field">
      <label for="fork-instructions">Instructions</label>
      <textarea
        id="fork-instructions"
        rows={8}
        value={options.instructions ?? ''}
        onInput={(event) => onOptions({ instructions: event.currentTarget.value })}
      />
    </p>
  )
}

function SettingsFields({ options, onOptions }: OptionsProps) {
  const isValid = isObject(options.settings)
  return (
    <>
      <p class="field">
        <label for="fork-model">Model</label>
        <input
          id="fork-model"
          type="text"
          placeholder="as before"
          value={options.model ?? ''}
          onInput={(event) => onOptions({ ...options, model: event.currentTarget.value })}
        />
      </p>
      <p class="field">
        <label for="fork-settings">Request settings, as JSON</label>
        <textarea
          id="fork-settings"
          class="mono"
          rows={4}
          spellcheck={false}
          placeholder={'{ "temperature": 0 }'}
          value={options.settings ?? ''}
          aria-invalid={!isValid || undefined}
          onInput={(event) => onOptions({ ...options, settings: event.currentTarget.value })}
        />
        {!isValid && <span class="bad">! This is not a JSON object.</span>}
      </p>
    </>
  )
}
