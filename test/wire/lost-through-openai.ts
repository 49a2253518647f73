/**
 * Cases that the `openai` client itself decides, before our own wire sees a byte, and the reason of each. With the
 * clients tried (6.49 and 7.55) there is none: `openaiModel` reads the raw response, and makes up for the error
 * bodies and the retries of the client.
 */
export const lostThroughOpenai: Readonly<Record<string, string>> = {}
