"""Two steps of GRPO with F_4 as the reward, on a tiny model of random weights: replace it with a model of your own."""

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer

from workbench.rewards.trl_reward import trl_dataset, trl_reward

characters = {chr(code): code - 31 for code in range(32, 127)} | {"\n": 96, "<end>": 0}
letters = Tokenizer(models.WordLevel(characters, unk_token=" "))
letters.pre_tokenizer = pre_tokenizers.Split("", "isolated")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=letters, eos_token="<end>", pad_token="<end>")
tokenizer.chat_template = "{% for message in messages %}{{ message.content }}\n{% endfor %}"
sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1}
heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "vocab_size": 97}
model = Qwen2ForCausalLM(Qwen2Config(**sizes, **heads, eos_token_id=0, pad_token_id=0))

settings = GRPOConfig(
    "grpo", max_steps=2, per_device_train_batch_size=4, num_generations=4, max_completion_length=80,
    logging_steps=1, save_strategy="no", report_to="none", use_cpu=True, bf16=False,
)  # fmt: skip
trainer = GRPOTrainer(
    model=model, processing_class=tokenizer, args=settings,
    reward_funcs=[trl_reward("f"), trl_reward("exact_match")], train_dataset=trl_dataset(20),
)  # fmt: skip
trainer.train()
