# file.remove and registry.removeValue: only files and values in the fixed lists of windows/cni-paths.ps1.

# The file is moved to the folder of the plan, so that it can be restored.
function Invoke-FileRemoveStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    switch ($Phase) {
        'Inspect' {
            $file = Resolve-RemovableFile -Path $With.path
            if ($file.Refusal -ne '') { return New-Inspection -Done $false -Blocked $file.Refusal -About $file.Refusal }
            if ($null -eq (Get-PathAttribute -Path $file.Path)) { return New-Inspection -Done $true -About "File $($With.path) does not exist." }
            $kept = [System.Guid]::NewGuid().ToString('N') + '-' + [System.IO.Path]::GetFileName($file.Path)
            New-Inspection -Done $false -Saved ([pscustomobject]@{ kept = $kept }) -About "File $($With.path) exists."
        }
        'Apply' {
            $file = Resolve-RemovableFile -Path $With.path
            if ($file.Refusal -ne '') { throw (New-HelperError -Kind Blocked -Message $file.Refusal) }
            if ($PSCmdlet.ShouldProcess("file $($With.path)", 'Remove')) {
                $removed = Join-Path -Path $Folder -ChildPath 'removed'
                [void][System.IO.Directory]::CreateDirectory($removed)
                [System.IO.File]::Move($file.Path, (Join-Path -Path $removed -ChildPath $Saved.kept))
            }
        }
        'Undo' {
            if ($null -eq $Saved) { return }
            $file = Resolve-RemovableFile -Path $With.path
            $kept = Join-Path -Path (Join-Path -Path $Folder -ChildPath 'removed') -ChildPath $Saved.kept
            if ($file.Refusal -ne '' -or [System.IO.File]::Exists($file.Path) -or -not [System.IO.File]::Exists($kept)) { return }
            if ($PSCmdlet.ShouldProcess("file $($With.path)", 'Restore')) { [System.IO.File]::Move($kept, $file.Path) }
        }
    }
}

# The path with '..' and links resolved, or why the file may not be removed.
function Resolve-RemovableFile {
    param([Parameter(Mandatory = $true)][string]$Path)
    $refusal = ''
    $real = ''
    if ($Path.Substring(2).IndexOfAny([char[]]':*?"<>|') -ge 0) {
        $refusal = "$Path is not the path of a file."
    } else {
        $full = [System.IO.Path]::GetFullPath((Get-HostPath -Path $Path))
        $real = Join-Path -Path (Resolve-RealPath -Path ([System.IO.Path]::GetDirectoryName($full))) -ChildPath ([System.IO.Path]::GetFileName($full))
        if (-not (Test-RemovablePath -Path $real)) {
            $refusal = "$Path is not among the files that a plan may remove."
        } elseif ([System.IO.Directory]::Exists($real)) {
            $refusal = "$Path is a folder."
        } elseif (Test-Link -Path $real) {
            $refusal = "$Path is a link."
        }
    }
    [pscustomobject]@{ Path = $real; Refusal = $refusal }
}

function Test-RemovablePath {
    param([Parameter(Mandatory = $true)][string]$Path)
    $drive = (Resolve-RealPath -Path (Get-HostPath -Path 'C:\')).TrimEnd('\', '/')
    if (-not $Path.StartsWith($drive, [System.StringComparison]::OrdinalIgnoreCase)) { return $false }
    $shown = 'C:' + $Path.Substring($drive.Length).Replace('/', '\')
    foreach ($allowed in @(Get-RemovablePathList) + @(Get-InstalledRemovableList)) {
        if ($shown -eq $allowed) { return $true }
        if ($allowed.EndsWith('\') -and $shown.StartsWith($allowed, [System.StringComparison]::OrdinalIgnoreCase)) { return $true }
    }
    $false
}

function Test-Link {
    param([Parameter(Mandatory = $true)][string]$Path)
    $attributes = Get-PathAttribute -Path $Path
    $null -ne $attributes -and ($attributes -band [System.IO.FileAttributes]::ReparsePoint) -ne 0
}

# Nothing if the path does not exist. One that cannot be read is an error; File.Exists would return false for it.
function Get-PathAttribute {
    param([Parameter(Mandatory = $true)][string]$Path)
    try {
        [System.IO.File]::GetAttributes($Path)
    } catch {
        if (-not (Test-GoneError -ErrorRecord $_)) { throw }
    }
}

# Resolves the links in every part of the path of a folder.
function Resolve-RealPath {
    param([Parameter(Mandatory = $true)][string]$Path)
    $real = [System.IO.Path]::GetPathRoot($Path)
    $left = New-Object -TypeName System.Collections.Generic.Queue[string]
    foreach ($part in $Path.Substring($real.Length).Split([char[]]'\/')) { if ($part -ne '') { $left.Enqueue($part) } }
    for ($hops = 0; $left.Count -gt 0; $hops++) {
        if ($hops -gt 200) { throw (New-HelperError -Kind Failed -Message "$Path has links that form a loop.") }
        $next = Join-Path -Path $real -ChildPath $left.Dequeue()
        if (-not (Test-Link -Path $next)) {
            $real = $next
            continue
        }
        $target = [string]@((Get-Item -LiteralPath $next -Force).Target)[0]
        if (-not [System.IO.Path]::IsPathRooted($target)) { $target = Join-Path -Path $real -ChildPath $target }
        $target = [System.IO.Path]::GetFullPath($target)
        $real = [System.IO.Path]::GetPathRoot($target)
        $rest = @($left.ToArray())
        $left.Clear()
        foreach ($part in @($target.Substring($real.Length).Split([char[]]'\/')) + $rest) { if ($part -ne '') { $left.Enqueue($part) } }
    }
    $real
}

function Invoke-RegistryRemoveValueStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    $target = "registry value $($With.path)\$($With.name)"
    $allowed = @(Get-RemovableRegistryList | Where-Object -FilterScript { $_.Path -eq $With.path -and $_.Name -eq $With.name }).Count -gt 0
    if (-not $allowed) { $refusal = "$target is not among the values that a plan may remove." } else { $refusal = '' }
    $value = $null
    if ($allowed -and (Test-Path -LiteralPath $With.path)) { $value = Get-Field -InputObject (Get-ItemProperty -LiteralPath $With.path) -Name $With.name }
    switch ($Phase) {
        'Inspect' {
            if ($refusal -ne '') { return New-Inspection -Done $false -Blocked $refusal -About $refusal }
            New-Inspection -Done ($null -eq $value) -Saved ([pscustomobject]@{ value = $value }) -About "$target exists: $($null -ne $value)."
        }
        'Apply' {
            if ($refusal -ne '') { throw (New-HelperError -Kind Blocked -Message $refusal) }
            if ($PSCmdlet.ShouldProcess($target, 'Remove')) { Remove-ItemProperty -LiteralPath $With.path -Name $With.name }
        }
        'Undo' {
            if ($null -eq $Saved -or $refusal -ne '' -or $null -ne $value) { return }
            if ($PSCmdlet.ShouldProcess($target, 'Restore')) {
                [void](New-ItemProperty -LiteralPath $With.path -Name $With.name -Value ([string]$Saved.value) -PropertyType String)
            }
        }
    }
}
