import type { ChatModel, RunEvent, ToolCall } from '@capstan/core'

/** Compares the pieces of calls that a streamed run reports with what its model wrote, and with what ran. */
export class CallDeltas {
  /** What is wrong. */
  readonly faults: string[] = []
  /** The calls of which pieces came before the reply was complete. */
  early = 0
  readonly #joined = new Map<string, { readonly name: string; text: string }>()
  #written: readonly ToolCall[] = []
  #isComplete = true

  /** Returns the model, whose replies are noted as it wrote them. */
  of(model: ChatModel): ChatModel {
    return {
      ...model,
      complete: async (request, sink) => {
        this.#isComplete = false
        const reply = await model.complete(request, sink)
        this.#written = reply.message.tool_calls ?? []
        this.#isComplete = true
        return reply
      },
    }
  }

  readonly observe = (event: RunEvent): void => {
    if (event.type === 'call-delta') this.#add(event)
    else if (event.type === 'message-added') this.#compare(event.message)
    else if (event.type === 'call-ready') this.#compareName(event)
    else if (event.type === 'tool-start') this.#compareRun(event)
  }

  #add({ callId, name, arguments: text }: Extract<RunEvent, { type: 'call-delta' }>): void {
    const known = this.#joined.get(callId)
    if (!known && !this.#isComplete) this.early += 1
    if (known && known.name !== name) this.faults.push(`${callId} was ${known.name}, then ${name}`)
    if (known) known.text += text
    else this.#joined.set(callId, { name, text })
  }

  #compare(message: Extract<RunEvent, { type: 'message-added' }>['message']): void {
    if (message.role !== 'assistant') return
    for (const [index, { id }] of (message.tool_calls ?? []).entries()) {
      const written = this.#written[index]?.function.arguments
      const text = this.#joined.get(id)?.text
      if (text !== written)
        this.faults.push(`${id} is ${JSON.stringify(written)}, its deltas ${JSON.stringify(text)}`)
    }
  }

  #compareName({ callId, name }: Extract<RunEvent, { type: 'call-ready' }>): void {
    const told = this.#joined.get(callId)?.name
    if (told !== name) this.faults.push(`${callId} is a call of ${name}, in its deltas of ${told}`)
  }

  #compareRun({ callId, arguments: ran }: Extract<RunEvent, { type: 'tool-start' }>): void {
    const text = this.#joined.get(callId)?.text ?? ''
    const called = objectOf(text)
    if (called !== undefined && called !== objectOf(JSON.stringify(ran)))
      this.faults.push(`${callId} ran with ${JSON.stringify(ran)}, its deltas are ${text}`)
  }
}

/** Returns the object of a JSON text in one spelling. Other texts are read leniently. */
function objectOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // Half of a surrogate pair is replaced before a call runs.
    const spelled = JSON.stringify(value).replace(/\\ud[89a-f][\da-f]{2}/gi, '\ufffd')
    return spelled.startsWith('{') ? spelled : undefined
  } catch {
    return undefined
  }
}
