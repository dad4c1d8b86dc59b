"""Loaders in the hands of Lightning and Accelerate, which are not told what they are."""

import pytest

from penstock import Pipeline, fn


@pytest.fixture
def loader(numbered, torch):
    del torch
    from penstock.torch import Loader

    def make(samples=10, **options):
        with Pipeline(batch_size=2, seed=1) as pipe:
            data, label = fn.readers.file(file_root=numbered(samples), random_shuffle=True)
            pipe.set_outputs(data, label)
        return Loader(pipe, **options)

    return make


def module(lightning, torch):
    class Sees(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)
            self.trained, self.validated = [], []

        def training_step(self, batch, _number):
            self.trained.append((self.current_epoch, batch[0].flatten().tolist()))
            return self.layer(batch[0].float()).mean()

        def validation_step(self, batch, _number):
            self.validated.append((self.trainer.sanity_checking, batch[0].flatten().tolist()))

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    return Sees()


def trainer(lightning, path, **options):
    return lightning.Trainer(
        accelerator="cpu", devices=1, logger=False, enable_progress_bar=False, enable_model_summary=False,
        default_root_dir=path, num_sanity_val_steps=2, **options,
    )  # fmt: skip


def flat(batches):
    return sorted(i for _, batch in batches for i in batch)


@pytest.mark.filterwarnings("ignore")
def test_lightning_trains_validates_and_resumes(loader, torch, tmp_path):
    lightning = pytest.importorskip("lightning")
    whole = module(lightning, torch)

    class Saves(lightning.Callback):
        def on_train_batch_end(self, trainer, *_):
            if trainer.global_step == 7:
                trainer.save_checkpoint(tmp_path / "in_the_middle.ckpt")

    first = trainer(lightning, tmp_path, max_epochs=3, enable_checkpointing=False, callbacks=[Saves()])
    first.fit(whole, loader(), loader(7))
    for epoch in range(3):
        assert flat([one for one in whole.trained if one[0] == epoch]) == list(range(10))
    assert len([one for one in whole.validated if one[0]]) == 2  # the check of sanity
    assert flat([one for one in whole.validated if not one[0]]) == sorted([*range(7)] * 3)

    resumed = module(lightning, torch)
    last = trainer(lightning, tmp_path, max_epochs=3, enable_checkpointing=False)
    last.fit(resumed, loader(), loader(7), ckpt_path=tmp_path / "in_the_middle.ckpt", weights_only=False)
    assert resumed.trained == whole.trained[7:]


@pytest.mark.filterwarnings("ignore")
def test_accelerate_leaves_the_loader_as_it_is(loader, torch):
    accelerate = pytest.importorskip("accelerate")
    accelerator = accelerate.Accelerator(cpu=True)
    layer = torch.nn.Linear(1, 1)
    layer, optimizer, batches = accelerator.prepare(layer, torch.optim.SGD(layer.parameters(), lr=0.1), loader())
    for _ in range(2):
        seen = []
        for data, _ in batches:
            optimizer.zero_grad()
            accelerator.backward(layer(data.float()).mean())
            optimizer.step()
            seen += data.flatten().tolist()
        assert sorted(seen) == list(range(10))
    assert len(batches) == 5
