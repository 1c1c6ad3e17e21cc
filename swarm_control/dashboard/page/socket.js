// The connection to the server: comes back by itself, confirms frames, and matches answers with what was asked.
import { decode } from "./frames.js";

export class Socket {
  /** heard(type, data): "frame", "map", a type of news, or "link" with whether there is a connection. */
  constructor(heard) {
    this.heard = heard;
    this.asked = new Map();
    this.number = 0;
    this.pause = 250;
    this.open();
  }

  open() {
    const link = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
    link.binaryType = "arraybuffer";
    link.onopen = () => { this.pause = 250; this.heard("link", true); };
    link.onmessage = (event) => this.hear(event.data);
    link.onclose = () => {
      for (const answer of this.asked.values()) answer({ ok: false, text: "the connection was lost" });
      this.asked.clear();
      this.heard("link", false);
      setTimeout(() => this.open(), this.pause);
      this.pause = Math.min(2 * this.pause, 4000);
    };
    this.link = link;
  }

  hear(data) {
    if (typeof data === "string") {
      const message = JSON.parse(data);
      if (message.type !== "answer") return this.heard(message.type, message);
      const answer = this.asked.get(message.id);
      this.asked.delete(message.id);
      return answer ? answer(message) : this.heard("answer", message);
    }
    const message = decode(data);
    if (message.kind === "frame") this.tell({ type: "ack", sequence: message.sequence });
    this.heard(message.kind, message);
  }

  tell(message) {
    if (this.link.readyState === WebSocket.OPEN) this.link.send(JSON.stringify(message));
  }

  /** Ask for something; resolves to {ok, text}. */
  ask(message) {
    return new Promise((resolve) => {
      if (this.link.readyState !== WebSocket.OPEN) return resolve({ ok: false, text: "NOT DONE: there is no connection" });
      const id = ++this.number;
      this.asked.set(id, resolve);
      this.link.send(JSON.stringify({ ...message, id }));
    });
  }
}
