import type { Decision, Decisions } from '@capstan/core'
import { useId, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import type { InboxCall } from '../../types.js'
import { ApiError, api, messageOf } from '../api/client.js'
import { type FormProblem, problemsOfLines } from '../model/schema-form/form.js'
import { isSame, parsed } from '../model/values.js'
import { createForm, type SchemaForm, SchemaFormView } from '../parts/form/schema-form.js'
import { addKeys } from '../shell/keys.js'

interface ApprovalProps {
  readonly item: InboxCall
  /** Sends the decision. Default: sends it to the run that made the call. */
  readonly send?: (decision: Decision, allowChangedTools: boolean) => Promise<unknown>
}

/** Shows a pending call: its arguments in a form that can be edited, and the buttons to decide on it. */
export function Approval({ item, send = toRun(item) }: ApprovalProps) {
  return item.call.kind === 'approval' ? (
    <ApproveCall item={item} send={send} />
  ) : (
    <GiveResult item={item} send={send} />
  )
}

function toRun({ run, call }: InboxCall) {
  return (decision: Decision, allowChangedTools: boolean): Promise<unknown> => {
    const decisions: Decisions = { [call.callId]: decision }
    return api.decide(run, decisions, allowChangedTools)
  }
}

/** Why the server rejected a decision. The call stays pending. */
interface Refusal {
  readonly fields: readonly FormProblem[]
  readonly message: string
  /** Whether the server rejected the decision because the agent's tools have changed since the run started. */
  readonly isTools: boolean
}

function refusalOf(error: unknown, form: SchemaForm): Refusal {
  const message = messageOf(error)
  const isTools = error instanceof ApiError && error.status === 409 && /tool/i.test(error.code + message)
  const [, lines] = /do(?:es)? not match (?:its schema|the tool's output): (.*?)\.?$/s.exec(message) ?? []
  const fields = lines === undefined ? [] : problemsOfLines(lines.split('; '), form.field)
  return { fields, message: fields.length > 0 ? '' : message, isTools }
}

/** Returns `decide`, which sends a decision, and the reason if the server rejected the decision. */
function useDecision(form: SchemaForm, send: NonNullable<ApprovalProps['send']>) {
  const [refusal, setRefusal] = useState<Refusal>()
  const [isSent, setSent] = useState(false)
  const decide = async (decision: Decision) => {
    setSent(true)
    setRefusal(undefined)
    try {
      await send(decision, refusal?.isTools === true)
    } catch (error) {
      setRefusal(refusalOf(error, form))
      setSent(false)
    }
  }
  return { refusal, isSent, decide }
}

function ApproveCall({ item: { call, schema }, send }: Required<ApprovalProps>) {
  const { callId, name } = call
  const form = useMemo(() => createForm(schema, JSON.stringify(call.arguments)), [callId])
  const [reason, setReason] = useState('')
  const { refusal, isSent, decide } = useDecision(form, send)
  const id = useId()
  const given = parsed(form.json.value)
  const isChanged = !isSame(given, call.arguments)
  const hasProblem = form.problems.value.length > 0
  const approve = () =>
    decide({ type: 'approve', ...(isChanged && { arguments: given as Record<string, unknown> }) })
  const deny = () => decide({ type: 'deny', reason: reason.trim() || 'The user denied it.' })
  useLayoutEffect(
    () =>
      addKeys(`The call of ${name}`, () => [
        { key: 'a', does: 'approve', run: () => void approve() },
        { key: 'd', does: 'deny', run: () => void deny() },
      ]),
    [given, reason],
  )
  return (
    <section class="approval" aria-labelledby={id}>
      <h2 id={id}>{name} needs your approval</h2>
      {call.reason && call.reason !== `"${name}" needs approval.` ? <p class="soft">{call.reason}</p> : null}
      <SchemaFormView form={form} problems={refusal?.fields ?? []} isReadOnly={isSent}>
        <Refused refusal={refusal} />
        <div class="line">
          <button type="button" class="main" disabled={isSent || hasProblem} onClick={approve}>
            {refusal?.isTools ? 'Approve anyway' : isChanged ? 'Approve with changes' : 'Approve'}
          </button>
          <button type="button" disabled={isSent} onClick={deny}>
            Deny
          </button>
          <input
            type="text"
            aria-label="Reason, if you deny"
            placeholder="Reason, if you deny"
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
      </SchemaFormView>
    </section>
  )
}

function Refused({ refusal }: { readonly refusal: Refusal | undefined }) {
  if (!refusal?.message) return null
  return (
    <p class="bad" role="alert">
      {refusal.message}
    </p>
  )
}

/** A form for the result of a call without `execute`, or for the answer to a tool's question. */
function GiveResult({ item: { call }, send }: Required<ApprovalProps>) {
  const { kind, name, message, schema, url } = call
  const isQuestion = kind === 'input'
  const form = useMemo(
    () => createForm(schema ?? { title: isQuestion ? 'Answer' : 'Result', description: 'As JSON' }),
    [call.callId],
  )
  const { refusal, isSent, decide } = useDecision(form, send)
  const id = useId()
  const { json, problems } = form
  const isForm = url === undefined
  const answer = () => decide({ type: 'result', value: isForm ? JSON.parse(json.value) : null })
  return (
    <section class="approval" aria-labelledby={id}>
      <h2 id={id}>
        {name} {isQuestion ? 'asks you' : 'needs a result'}
      </h2>
      {message ? <p>{message}</p> : null}
      {isForm || !/^https?:/.test(url) ? null : (
        <p>
          <a href={url} target="_blank" rel="noreferrer">
            {url}
          </a>
        </p>
      )}
      <pre class="code">{JSON.stringify(call.arguments, undefined, 2)}</pre>
      <SchemaFormView form={form} problems={refusal?.fields ?? []} isReadOnly={isSent}>
        <Refused refusal={refusal} />
        <button
          type="button"
          class="main"
          disabled={isSent || (isForm && (json.value === '' || problems.value.length > 0))}
          onClick={answer}
        >
          {isQuestion ? (isForm ? 'Answer' : 'Done') : 'Send the result'}
        </button>
        {isQuestion ? (
          <button
            type="button"
            disabled={isSent}
            onClick={() => decide({ type: 'deny', reason: 'The user declined.' })}
          >
            Decline
          </button>
        ) : null}
      </SchemaFormView>
    </section>
  )
}
