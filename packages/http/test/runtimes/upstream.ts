/** The server of prove-runtimes.ts, whose address it writes here. */
export const upstream = 'http://127.0.0.1:9'
