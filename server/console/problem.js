import{it as e}from"./index.js";var t=t=>t instanceof e&&t.details.length>0?t.details.map(({field:e,message:t})=>`${e}: ${t}`).join(`
`):t instanceof Error?t.message:String(t);export{t};