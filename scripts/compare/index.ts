import "./main.js";
