type Fields = Readonly<Record<string, unknown>>

/** Whether a value is an object, but not an array or null. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a field is present. Clients may send null instead of omitting a field. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Fields that refer to data on a different server, with their error code if they have one. */
const references: Readonly<Record<string, string | undefined>> = {
  previous_response_id: 'previous_response_not_found',
  // With this code, the official client continues without threads.
  thread: 'thread_unsupported_request',
  conversation: undefined,
  container: undefined,
  prompt: undefined,
}

/**
 * Finds a request field that refers to data on a different server. Such a request must be rejected, because the model
 * would not get the entire conversation. Undefined if there is no such field.
 */
export function findReference(
  body: Fields,
): { readonly name: string; readonly code?: string | undefined } | undefined {
  for (const [name, code] of Object.entries(references)) {
    const value = body[name]
    // A request that creates a thread contains the entire conversation.
    const isNew = name === 'thread' && isRecord(value) && value.type === 'create'
    if (isGiven(value) && !isNew) return { name, code }
  }
  return undefined
}

/** Whether an item of a request only refers to an item of an earlier response. The reference may omit its type. */
export function isItemReference({ id, type, role }: Fields): boolean {
  return type === 'item_reference' || (!isGiven(type) && !isGiven(role) && isGiven(id))
}

/**
 * Converts a tool in a Messages request to the chat completions format. User-defined tools have either no type or the
 * type `custom`.
 */
export function messagesTool(tool: unknown): unknown {
  if (!isRecord(tool)) return tool
  const { type = 'custom', input_schema: parameters, ...rest } = tool
  return { type: type === 'custom' ? 'function' : type, function: { ...rest, parameters } }
}

/** Converts the tool choice in a Messages request to the chat completions format. Returns `false` if it is invalid. */
export function messagesChoice(choice: unknown): unknown {
  if (!isGiven(choice)) return undefined
  const { type, name } = isRecord(choice) ? choice : {}
  if (type === 'auto' || type === 'none') return type
  if (type === 'any') return 'required'
  return type === 'tool' && typeof name === 'string' && { type: 'function', function: { name } }
}
