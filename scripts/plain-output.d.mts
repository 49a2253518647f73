export function plainOutput(text: string): string
