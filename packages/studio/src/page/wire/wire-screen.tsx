import { useEffect, useLayoutEffect } from 'preact/hooks'
import type { Exchange } from '../../types.js'
import type { RunView } from '../api/run-view.js'
import { follow, loadRun, runs, viewOf } from '../api/state.js'
import { formatBytes, formatMs, plural } from '../model/format.js'
import { addKeys } from '../shell/keys.js'
import { go, route, toAddress } from '../shell/route.js'
import { AnswerSide } from './answer-side.js'
import { useBytes } from './bytes.js'
import { RequestSide } from './request-side.js'

/** Shows one request to a model and its response, exactly as they were sent and received. */
export function WireScreen() {
  const [, id = '', , asked] = route.value.path
  const view = viewOf(id)
  const number = Number(asked ?? 0)
  const exchanges = useExchanges(view)
  const exchange = exchanges?.find((one) => one.number === number)
  useWireKeys(id, exchanges, exchange)
  return (
    <>
      <Head run={id} exchanges={exchanges ?? []} exchange={exchange} />
      {view.state.value === 'failed' ? <p class="empty bad">{view.error.value}</p> : null}
      {exchanges && !exchange ? (
        <p class="empty">
          {exchanges.length === 0
            ? 'The run has no requests on disk. A model that sends its requests itself has none.'
            : `The run has no exchange ${asked}.`}
        </p>
      ) : null}
      {exchange ? (
        <Sides key={exchange.number} run={id} exchange={exchange} exchanges={exchanges ?? []} />
      ) : null}
    </>
  )
}

function useExchanges(view: RunView): readonly Exchange[] | undefined {
  const ended =
    view.revision.value &&
    [...view.tree.nodes.values()].filter((node) => node.kind === 'request' && node.end !== undefined).length
  useEffect(() => {
    void loadRun(view.id)
    void follow(view.id)
  }, [view])
  useEffect(() => {
    void view.loadExchanges().catch(() => {})
  }, [view, ended])
  return view.exchanges.value
}

function useWireKeys(
  run: string,
  exchanges: readonly Exchange[] | undefined,
  exchange: Exchange | undefined,
): void {
  useLayoutEffect(() => {
    const index = exchange && exchanges ? exchanges.indexOf(exchange) : -1
    const to = (other: Exchange | undefined) => {
      if (other) go(addressOf(run, other.number))
    }
    return addKeys('Wire', () => [
      { key: 'n', does: 'go to the next exchange', run: () => to(exchanges?.[index + 1]) },
      { key: 'b', does: 'go to the previous exchange', run: () => to(exchanges?.[index - 1]) },
    ])
  }, [run, exchanges, exchange])
}

/** Returns the URL of an exchange, with the tabs that are currently open. */
function addressOf(run: string, exchange: number): string {
  const { request, answer } = route.value.query
  return toAddress(['runs', run, 'wire', String(exchange)], { request, answer })
}

interface HeadProps {
  readonly run: string
  readonly exchanges: readonly Exchange[]
  readonly exchange: Exchange | undefined
}

function Head({ run, exchanges, exchange }: HeadProps) {
  const summary = runs.value.get(run)
  return (
    <header class="screen-head">
      <nav aria-label="Where">
        <a href="/runs">Runs</a> <span aria-hidden="true">›</span>{' '}
        <a class="cut" href={toAddress(['runs', run])} title={summary?.title}>
          {summary?.title || run}
        </a>{' '}
        <span aria-hidden="true">›</span>
      </nav>
      <h1>Wire</h1>
      <select
        aria-label="Exchange"
        value={exchange?.number ?? ''}
        onChange={(event) => go(addressOf(run, Number(event.currentTarget.value)))}
      >
        {exchanges.map(({ number, at, attempt, status, notes }) => (
          <option key={number} value={number}>
            {number} · {at} · attempt {attempt} · {status ?? 'no status'}
            {notes.length > 0 ? ` · ${plural(notes.length, 'note')}` : ''}
          </option>
        ))}
      </select>
      {exchange ? <Facts exchange={exchange} /> : null}
    </header>
  )
}

function Facts({ exchange }: { readonly exchange: Exchange }) {
  const { url, status, sentAt, headersAt, firstTokenAt, endedAt, request, response, pieces, error } = exchange
  const after = (t: number | undefined) => (t === undefined ? '–' : formatMs(t - sentAt))
  const sent = (request.sameAs?.bytes ?? 0) + request.length
  return (
    <span class="facts">
      <span>
        POST <code>{url}</code>
      </span>
      <b class={status !== undefined && status < 300 ? 'good' : 'bad'}>{status ?? 'no response'}</b>
      <span>headers {after(headersAt)}</span>
      <span>first token {after(firstTokenAt)}</span>
      <span>end {after(endedAt)}</span>
      <span>{formatBytes(sent)} out</span>
      <span>{response ? `${formatBytes(response.length)} in` : 'nothing in'}</span>
      <span>{plural(pieces.length, 'piece')}</span>
      {error ? (
        <span class="bad">
          {error.code}: {error.message}
        </span>
      ) : null}
    </span>
  )
}

interface SidesProps {
  readonly run: string
  readonly exchange: Exchange
  readonly exchanges: readonly Exchange[]
}

function Sides({ run, exchange, exchanges }: SidesProps) {
  const before = exchanges[exchanges.indexOf(exchange) - 1]
  const request = useBytes(run, exchange.number, 'request', true)
  const earlier = useBytes(run, before?.number, 'request', before !== undefined)
  const answer = useBytes(run, exchange.number, 'response', exchange.response !== undefined)
  return (
    <div class="panes wire">
      <section class="pane" aria-label="Request">
        <RequestSide run={run} exchange={exchange} before={before} bytes={request} earlier={earlier} />
      </section>
      <section class="pane" aria-label="Response">
        <AnswerSide run={run} exchange={exchange} bytes={answer} />
      </section>
    </div>
  )
}
