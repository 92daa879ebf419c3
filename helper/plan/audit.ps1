# The audit log of a node: C:\ProgramData\kubectl-win\audit.log, one JSON object a line for every change and every plan that began or
# ended, with who asked for it. It outlives the plans, and is never read by the helper.

# A log that cannot be written stops nothing: the journal of the plan has it all.
function Write-Audit {
    param([Parameter(Mandatory = $true)][psobject]$Run, [Parameter(Mandatory = $true)][string]$Name, [System.Collections.IDictionary]$Fields = @{})
    $entry = [ordered]@{
        at   = Format-Time -Time ([datetime]::UtcNow)
        what = $Name
        user = [string](Get-Field -InputObject $Run.Plan -Name createdBy)
        node = [string]$Run.Plan.node
        plan = $Run.Journal.Id
        hash = $Run.Hash
    }
    foreach ($key in $Fields.Keys) { $entry[$key] = $Fields[$key] }
    try { Add-AuditLine -Line (ConvertTo-JsonText -Value ([pscustomobject]$entry)) } catch { return }
}

# One file of at most 4 MiB, and the one before it. Others may read it while it is written.
function Add-AuditLine {
    param([Parameter(Mandatory = $true)][string]$Line)
    $path = Join-Path -Path (Get-DataRoot) -ChildPath 'audit.log'
    if ([System.IO.File]::Exists($path) -and (New-Object -TypeName System.IO.FileInfo -ArgumentList $path).Length -gt 4194304) {
        [System.IO.File]::Delete("$path.1")
        [System.IO.File]::Move($path, "$path.1")
    }
    $bytes = (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false).GetBytes($Line + "`n")
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList $path, ([System.IO.FileMode]::Append), ([System.IO.FileAccess]::Write), ([System.IO.FileShare]::ReadWrite)
    try {
        $stream.Write($bytes, 0, $bytes.Length)
        $stream.Flush($true)
    } finally {
        $stream.Dispose()
    }
}
