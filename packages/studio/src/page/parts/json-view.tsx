import { useState } from 'preact/hooks'
import type { CutValue } from '../../types.js'
import { api, messageOf } from '../api/client.js'
import { formatBytes, plural, shorten } from '../model/format.js'
import { jsonTokens } from '../model/json-tokens.js'
import { isCut } from '../model/run-nodes.js'
import { Thumbnail } from './media.js'

interface JsonViewProps {
  readonly value: unknown
  /** A name to show before the value. */
  readonly name?: string
  /** How many levels are open initially. Default 2. */
  readonly depth?: number
  /** The id of the run that contains the value. Needed to load values that were too long for their entry. */
  readonly run?: string
}

const mostItems = 200

/**
 * Shows a JSON value as a tree that opens level by level. Next to the id of an image or audio artifact, shows a
 * thumbnail or a player.
 */
export function JsonView({ value, name, depth = 2, run }: JsonViewProps) {
  if (isCut(value) && run !== undefined)
    return <CutView value={value} run={run} {...(name !== undefined && { name })} />
  if (typeof value !== 'object' || value === null)
    return (
      <div class="json-line">
        <Name name={name} />
        <Leaf value={value} />
      </div>
    )
  const isList = Array.isArray(value)
  const items = Object.entries(value)
  const brackets = isList ? '[]' : '{}'
  if (items.length === 0)
    return (
      <div class="json-line">
        <Name name={name} />
        <span class="json-mark">{brackets}</span>
      </div>
    )
  const size = isList ? plural(items.length, 'item') : plural(items.length, 'field')
  return (
    <details class="json-node" open={depth > 0}>
      <summary>
        <Name name={name} />
        <span class="json-mark">{brackets[0]}</span> <span class="json-size">{size}</span>
        <span class="json-preview">{shorten(JSON.stringify(value), 60)}</span>
      </summary>
      <Items items={items} depth={depth} {...(run !== undefined && { run })} />
    </details>
  )
}

function Items({ items, depth, run }: { items: [string, unknown][]; depth: number; run?: string }) {
  const [most, setMost] = useState(mostItems)
  return (
    <div class="json-items">
      {items.slice(0, most).map(([key, item]) => (
        <JsonView key={key} name={key} value={item} depth={depth - 1} {...(run !== undefined && { run })} />
      ))}
      {items.length > most ? (
        <button type="button" class="plain" onClick={() => setMost(most + mostItems)}>
          {plural(items.length - most, 'more item')}
        </button>
      ) : null}
    </div>
  )
}

function Name({ name }: { name: string | undefined }) {
  return name === undefined ? null : <span class="json-key">{name}: </span>
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span class="json-word">{String(value)}</span>
  const most = 2000
  return (
    <span class="json-string">
      {isWhole || value.length <= most ? value : value.slice(0, most)}
      {value.length > most && !isWhole ? (
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          … {formatBytes(value.length)} in total
        </button>
      ) : null}
      {/^(img|aud)_[a-z0-9]+$/.test(value) ? <Thumbnail id={value} /> : null}
    </span>
  )
}

function CutView({ value, run, name }: { value: CutValue; run: string; name?: string }) {
  const [loaded, setLoaded] = useState<{ whole: unknown } | { error: string }>()
  if (loaded && 'whole' in loaded)
    return <JsonView value={loaded.whole} run={run} {...(name !== undefined && { name })} />
  const load = () =>
    api.part(run, value.cut.part).then(
      (whole) => setLoaded({ whole }),
      (error) => setLoaded({ error: messageOf(error) }),
    )
  return (
    <div class="json-line">
      <Name name={name} />
      <button type="button" class="plain" onClick={load}>
        Show {formatBytes(value.cut.bytes)}
      </button>
      {loaded ? <span class="bad">{loaded.error}</span> : null}
    </div>
  )
}

/**
 * Shows text, with JSON syntax highlighting for its first 20,000 characters. The text does not have to be valid JSON.
 */
export function JsonText({ text }: { readonly text: string }) {
  const most = 20_000
  const tokens = jsonTokens(text.slice(0, most))
  return (
    <pre class="code">
      {tokens.map(({ kind, text: token }, index) =>
        kind === 'space' || kind === 'mark' || kind === 'other' ? (
          token
        ) : (
          <span key={index} class={`json-${kind}`}>
            {token}
          </span>
        ),
      )}
      {text.slice(most)}
    </pre>
  )
}
