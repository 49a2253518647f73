/** A message of the conversation, checked and reduced to what the planner reads. */
export type ChatMessage =
  | {
      readonly role: 'system' | 'user'
      readonly text: string
      /** What came with it that the planner can neither see nor hear, such as `picture`. */
      readonly unseen?: readonly string[]
    }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly MessageCall[] }
  | { readonly role: 'tool'; readonly text: string; readonly callId: string }

/** A call an assistant message made; the arguments are JSON text. */
export interface MessageCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}
