import { useState } from 'preact/hooks'
import type { Exchange } from '../../types.js'
import { bytesAddress } from '../api/client.js'
import { tell } from '../api/state.js'
import { toCurl } from '../model/exchange-text.js'
import { prettyJson } from '../model/json-tokens.js'
import {
  type ChangeKind,
  diffRequests,
  type FieldChange,
  type ItemChange,
  isUnchanged,
} from '../model/request-diff.js'
import { parsed } from '../model/values.js'
import { Icon } from '../parts/icons.js'
import { JsonText, JsonView } from '../parts/json-view.js'
import { Tabs } from '../parts/tabs.js'
import { route, setQuery } from '../shell/route.js'
import type { Loaded } from './bytes.js'
import { Headers } from './headers.js'

interface RequestSideProps {
  readonly run: string
  readonly exchange: Exchange
  readonly before: Exchange | undefined
  readonly bytes: Loaded
  readonly earlier: Loaded
}

export function RequestSide({ run, exchange, before, bytes, earlier }: RequestSideProps) {
  const text = bytes.bytes ? new TextDecoder().decode(bytes.bytes) : undefined
  const old = earlier.bytes ? new TextDecoder().decode(earlier.bytes) : undefined
  const wait = <p class={bytes.error ? 'bad' : 'soft'}>{bytes.error ?? 'Loading …'}</p>
  return (
    <>
      <Tabs
        label="The request"
        open={route.value.query['request']}
        onOpen={(tab) => setQuery({ request: tab })}
        tabs={[
          {
            id: 'request',
            title: 'Request',
            content: () => (text === undefined ? wait : <Body text={text} run={run} />),
          },
          {
            id: 'changed',
            title: before ? `Changed since exchange ${before.number}` : 'Changed',
            content: () =>
              text === undefined ? wait : <Changes before={old} after={text} run={run} isFirst={!before} />,
          },
          {
            id: 'request-headers',
            title: 'Headers',
            content: () => <Headers headers={exchange.requestHeaders} />,
          },
        ]}
      />
      <div class="pane-foot">
        <button
          type="button"
          disabled={text === undefined}
          onClick={async () => {
            await navigator.clipboard.writeText(toCurl(exchange, text ?? ''))
            tell("Copied. The command takes the key from your shell's variable OPENAI_API_KEY.")
          }}
        >
          <Icon name="copy" />
          Copy as curl
        </button>
        <a
          class="button"
          href={bytesAddress(run, exchange.number, 'request')}
          download={`request-${exchange.number}.json`}
        >
          <Icon name="download" />
          Download
        </a>
      </div>
    </>
  )
}

/** Shows a request body as a tree, as formatted JSON, or exactly as it was sent. */
function Body({ text, run }: { readonly text: string; readonly run: string }) {
  const [form, setForm] = useState<'tree' | 'pretty' | 'bytes'>('tree')
  const value = parsed(text)
  return (
    <>
      <div class="line" role="group" aria-label="Format of the request">
        {(['tree', 'pretty', 'bytes'] as const).map((one) => (
          <button key={one} type="button" aria-pressed={form === one} onClick={() => setForm(one)}>
            {one === 'bytes' ? 'as sent' : one}
          </button>
        ))}
      </div>
      {form === 'tree' && typeof value === 'object' ? (
        <JsonView value={value} depth={2} run={run} />
      ) : form === 'bytes' ? (
        <pre class="code bytes">{text}</pre>
      ) : (
        <JsonText text={prettyJson(text)} />
      )}
    </>
  )
}

interface ChangesProps {
  readonly before: string | undefined
  readonly after: string
  readonly run: string
  readonly isFirst: boolean
}

function Changes({ before, after, run, isFirst }: ChangesProps) {
  if (isFirst) return <p class="soft">This is the first request of the run.</p>
  if (before === undefined) return <p class="soft">Loading …</p>
  const diff = diffRequests(before, after)
  if (isUnchanged(diff)) return <p class="soft">Nothing has changed: the two requests are identical.</p>
  return (
    <>
      <ChangeList title="Settings" changes={diff.fields} run={run} />
      <ChangeList title="Messages" changes={diff.messages} run={run} />
      <ChangeList title="Tools" changes={diff.tools} run={run} />
    </>
  )
}

const signs: Readonly<Record<ChangeKind, string>> = { same: '=', added: '+', removed: '−', changed: '~' }

interface ChangeListProps {
  readonly title: string
  readonly changes: readonly (FieldChange | ItemChange)[]
  readonly run: string
}

function ChangeList({ title, changes, run }: ChangeListProps) {
  if (changes.length === 0) return null
  const same = changes.filter(({ kind }) => kind === 'same').length
  return (
    <>
      <h2 class="small">
        {title} <span class="soft">{same > 0 ? `${same} the same` : ''}</span>
      </h2>
      <ul class="changes">
        {changes
          .filter(({ kind }) => kind !== 'same')
          .map((one) => (
            <li key={'index' in one ? `${one.index}` : one.name} class={`change change-${one.kind}`}>
              <span>
                <b aria-hidden="true">{signs[one.kind]}</b> {'index' in one ? `${one.index} ` : ''}
                <b>{one.name}</b> <span class="soft">{one.kind}</span>
              </span>
              {one.before === undefined || one.kind === 'added' ? null : (
                <JsonView name="before" value={one.before} depth={1} run={run} />
              )}
              {one.after === undefined ? null : (
                <JsonView
                  {...(one.kind === 'changed' && { name: 'now' })}
                  value={one.after}
                  depth={1}
                  run={run}
                />
              )}
            </li>
          ))}
      </ul>
    </>
  )
}
