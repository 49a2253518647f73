export function ChatScreen() {
  return <p class="empty">Chat</p>
}
