import { useMemo, useState } from 'preact/hooks'
import type { ToolInfo } from '../../types.js'
import { newestRuns } from '../api/state.js'
import { usePickArtifact } from '../artifacts/pick-artifact.js'
import { formatMoment, formatMs, plural } from '../model/format.js'
import { problemsOfRejection } from '../model/schema-form/form.js'
import { createForm, type SchemaForm, SchemaFormView } from '../parts/form/schema-form.js'
import { JsonText } from '../parts/json-view.js'
import { type Tab, Tabs } from '../parts/tabs.js'
import { route, setQuery } from '../shell/route.js'
import { CallBar, CallResult, nameOf, useToolCall } from './tool-call.js'

/** Shows one tool: its settings, form, definition, problems and calls. */
export function ToolDetail({ tool }: { readonly tool: ToolInfo }) {
  const { function: definition } = tool.definition
  // If a new version of the file does not change the parameters, the form keeps what the user has entered.
  const schema = JSON.stringify(definition.parameters)
  const form = useMemo(() => createForm(JSON.parse(schema), firstExample(tool)), [schema])
  const call = useToolCall(nameOf(tool))
  const calls = newestRuns.value.filter((run) => run.kind === 'tool-call' && run.agent === nameOf(tool))
  const tabs: Tab[] = [
    { id: 'form', title: 'Form', content: () => <FormTab tool={tool} form={form} call={call} /> },
    { id: 'json', title: 'JSON', content: () => <JsonTab tool={tool} form={form} call={call} /> },
    {
      id: 'model',
      title: 'As the model sees it',
      content: () => <JsonText text={JSON.stringify(tool.definition, null, 2)} />,
    },
    {
      id: 'findings',
      title: 'Findings',
      count: tool.findings.length,
      content: () => <Findings tool={tool} />,
    },
    { id: 'calls', title: 'Calls', count: calls.length, content: () => <Calls runs={calls} /> },
  ]
  return (
    <section class="pane" aria-label={nameOf(tool)}>
      <div class="pane-head">
        <h2>
          <code>{nameOf(tool)}</code>
        </h2>
        <SettingBadges tool={tool} />
        <p class="tool-words">{definition.description}</p>
      </div>
      <Tabs
        label="Parts of the tool"
        tabs={tabs}
        open={route.value.query['tab']}
        onOpen={(tab) => setQuery({ tab })}
      />
    </section>
  )
}

function firstExample({ examples }: ToolInfo): string | undefined {
  const first = examples.find(({ kind }) => kind === 'valid')
  return first && JSON.stringify(first.arguments)
}

function SettingBadges({ tool }: { readonly tool: ToolInfo }) {
  const { effects, needsApproval, timeoutMs, untrusted, returnDirect } = tool.settings
  const words = [
    effects === 'read' ? 'only reads' : effects === 'writes' ? 'writes' : 'effects unknown',
    needsApproval === true ? 'needs approval' : needsApproval === 'depends' ? 'may need approval' : '',
    timeoutMs === undefined ? '' : `timeout ${formatMs(timeoutMs)}`,
    untrusted ? 'untrusted' : '',
    returnDirect ? 'its result is the answer' : '',
    tool.hasFunction ? '' : 'without a function',
    plural(tool.tokens, 'token'),
  ]
  return (
    <>
      {words.filter(Boolean).map((word) => (
        <span class="badge" key={word}>
          {word}
        </span>
      ))}
    </>
  )
}

interface CallTabProps {
  readonly tool: ToolInfo
  readonly form: SchemaForm
  readonly call: ReturnType<typeof useToolCall>
}

function FormTab({ tool, form, call }: CallTabProps) {
  const { pick, dialog } = usePickArtifact()
  const problems = call.rejection ? problemsOfRejection(call.rejection, form.field) : []
  return (
    <>
      <Examples tool={tool} form={form} />
      <SchemaFormView form={form} findings={tool.findings} problems={problems} pickArtifact={pick} />
      <CallBar tool={tool} form={form} call={call} />
      <CallResult call={call} />
      {dialog}
    </>
  )
}

function JsonTab({ tool, form, call }: CallTabProps) {
  // Text that is not valid JSON yet is stored only here. Until it is valid, the form keeps its last value.
  const [draft, setDraft] = useState<string>()
  const text = draft ?? pretty(form.json.value)
  const onInput = (typed: string) => {
    setDraft(typed)
    form.set(typed)
  }
  const isBroken = draft !== undefined && !isJson(draft)
  return (
    <>
      <label class="visually-hidden" for="tool-json">
        Arguments as JSON
      </label>
      <textarea
        id="tool-json"
        class="mono"
        rows={12}
        spellcheck={false}
        value={text}
        aria-invalid={isBroken || undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {isBroken && <p class="form-problem">! This is not JSON yet. The form keeps the last value.</p>}
      <CallBar tool={tool} form={form} call={call} isBroken={isBroken} />
      <CallResult call={call} />
    </>
  )
}

function pretty(json: string): string {
  return json === '' ? '' : JSON.stringify(JSON.parse(json), null, 2)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A menu of example arguments for the form, which the server has generated from the schema. */
function Examples({ tool, form }: { readonly tool: ToolInfo; readonly form: SchemaForm }) {
  if (tool.examples.length === 0) return null
  const choose = (at: number) => {
    const example = tool.examples[at]
    if (example) form.set(JSON.stringify(example.arguments))
  }
  return (
    <p class="line">
      <label for="tool-example">Example</label>
      <select id="tool-example" value="" onChange={(event) => choose(Number(event.currentTarget.value))}>
        <option value="">choose one to fill in the form</option>
        {tool.examples.map((example, at) => (
          <option key={JSON.stringify(example)} value={String(at)}>
            {example.kind}: {JSON.stringify(example.arguments).slice(0, 70)}
          </option>
        ))}
      </select>
    </p>
  )
}

function Findings({ tool }: { readonly tool: ToolInfo }) {
  if (tool.findings.length === 0)
    return <p class="empty">No problems were found in this tool's definition.</p>
  return (
    <ul class="findings">
      {tool.findings.map((one) => (
        <li key={`${one.rule} ${one.path}`}>
          <span class={`badge ${one.level === 'error' ? 'bad' : ''}`}>{one.level}</span> <b>{one.rule}</b>{' '}
          {one.path && <code>{one.path}</code>}
          <p>{one.message}</p>
          <p class="soft">{one.fix}</p>
        </li>
      ))}
    </ul>
  )
}

function Calls({ runs }: { readonly runs: typeof newestRuns.value }) {
  if (runs.length === 0) return <p class="empty">This tool has not been called from here.</p>
  return (
    <ul class="plain-list">
      {runs.map((run) => (
        <li key={run.id}>
          <a href={`/runs/${run.id}`}>{formatMoment(run.startedAt)}</a>{' '}
          <span class={run.status === 'failed' ? 'bad' : 'soft'}>{run.status}</span>{' '}
          <span class="soft">{formatMs(run.workedMs)}</span>
        </li>
      ))}
    </ul>
  )
}
