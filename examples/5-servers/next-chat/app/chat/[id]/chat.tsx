/** @jsxImportSource react */
// #region file
'use client'

import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai'
import { useEffect, useState } from 'react'

const transport = new DefaultChatTransport({ api: '/api/agent/ui' })

/** Shows a chat as it is stored, and continues it. */
export function StoredChat({ id }: { readonly id: string }) {
  const [stored, setStored] = useState<UIMessage[]>()
  useEffect(() => {
    let isShown = true
    fetch(`/api/agent/ui/${id}`)
      .then((response) => response.json())
      .then(({ messages }) => isShown && setStored(messages))
    return () => {
      isShown = false
    }
  }, [id])
  return stored ? <Chat id={id} stored={stored} /> : <p>Loading</p>
}

function Chat({ id, stored }: { readonly id: string; readonly stored: UIMessage[] }) {
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    id,
    messages: stored,
    transport,
    // Follows a reply that another page, or this page before a reload, has started.
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const decide = (approvalId: string, approved: boolean) =>
    addToolApprovalResponse({ id: approvalId, approved })
  return (
    <main>
      {messages.map((message) => (
        <article key={message.id} aria-label={message.role}>
          {Object.entries(message.parts).map(([at, part]) => (
            <Part key={at} part={part} decide={decide} />
          ))}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form
        action={(form) => {
          void sendMessage({ text: String(form.get('text')) })
        }}
      >
        <input name="text" aria-label="Message" required />
        <button type="submit" disabled={status !== 'ready'}>
          Send
        </button>
      </form>
    </main>
  )
}

function Part({
  part,
  decide,
}: {
  readonly part: UIMessage['parts'][number]
  decide(approvalId: string, approved: boolean): void
}) {
  if (part.type === 'text') return <p>{part.text}</p>
  if (!isToolUIPart(part)) return null
  const { state, approval } = part
  if (state !== 'approval-requested') return <p>{`${part.type}: ${state}`}</p>
  return (
    <p>
      {`${part.type} ${JSON.stringify(part.input)}`}
      <button type="button" onClick={() => decide(approval.id, true)}>
        Allow
      </button>
      <button type="button" onClick={() => decide(approval.id, false)}>
        Deny
      </button>
    </p>
  )
}
// #endregion
