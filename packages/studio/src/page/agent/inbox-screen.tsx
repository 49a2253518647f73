// Shows the calls that need a decision, from all runs and from durable agents.
import type { Decision } from '@capstan/core'
import { useEffect, useState } from 'preact/hooks'
import type { InboxCall } from '../../types.js'
import { api } from '../api/client.js'
import { attempt, inbox } from '../api/state.js'
import { Approval } from '../chat/approval.js'
import { formatMoment, plural, shorten } from '../model/format.js'
import { toAddress } from '../shell/route.js'

export function InboxScreen() {
  const [isRead, setRead] = useState(false)
  const refresh = () =>
    attempt(() => api.inbox()).then((calls) => {
      if (calls) inbox.value = calls
      setRead(true)
    })
  useEffect(() => {
    void refresh()
  }, [])
  const calls = [...inbox.value].sort((a, b) => (a.since < b.since ? 1 : -1))
  return (
    <>
      <header class="screen-head">
        <h1>Inbox</h1>
        <span class="soft" role="status">
          {isRead && (calls.length === 0 ? 'No pending calls.' : plural(calls.length, 'pending call'))}
        </span>
      </header>
      <div class="screen-body">
        {isRead && calls.length === 0 && (
          <p class="empty">Calls that need your approval, or a result from you, are shown here.</p>
        )}
        {calls.map((item) => (
          <Waiting key={`${item.run} ${item.call.callId}`} item={item} onDecided={refresh} />
        ))}
      </div>
    </>
  )
}

interface WaitingProps {
  readonly item: InboxCall
  readonly onDecided: () => void
}

function Waiting({ item, onDecided }: WaitingProps) {
  const { source, agent, run, call, about, since } = item
  const send = async (decision: Decision, allowChangedTools: boolean) => {
    if (source === 'durable') await api.decideDurable(agent, run, call.callId, decision)
    else await api.decide(run, { [call.callId]: decision }, allowChangedTools)
    onDecided()
  }
  return (
    <article class="card waiting">
      <p class="facts">
        <b>{agent}</b>
        {source === 'studio' ? (
          <a href={toAddress(['runs', run])}>Open the run</a>
        ) : (
          <span>durable run {shorten(run, 30)}</span>
        )}
        <span>since {formatMoment(since)}</span>
      </p>
      {about && <p class="waiting-about">{shorten(about, 400)}</p>}
      <Approval item={item} send={send} />
    </article>
  )
}
